// What is in a clip, in numbers: its bytes decoded, its outline, its spectrogram. Draws nothing; see player.js.

const sound = (() => {
  const SLICE = 8; // ms of work before the page may do something else
  const WINDOWS = 8; // at most averaged in one column of a long clip
  const mel = (hz) => 2595 * Math.log10(1 + hz / 700);
  const hertz = (m) => 700 * (10 ** (m / 2595) - 1);

  // The rate that a file's header states, Hz; 0 if it is of a kind that is not known here.
  function statedRate(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const name = (at, n = 4) => String.fromCharCode(...bytes.subarray(at, at + n));
    const start = name(0, 3) === "ID3" && bytes.length > 10 ? 10 + (bytes[6] << 21 | bytes[7] << 14 | bytes[8] << 7 | bytes[9]) : 0;
    if ((name(0) === "RIFF" || name(0) === "RF64") && name(8) === "WAVE") {
      for (let at = 12; at + 16 <= bytes.length; at += 8 + view.getUint32(at + 4, true) + view.getUint32(at + 4, true) % 2) {
        if (name(at) === "fmt ") return view.getUint32(at + 12, true);
      }
    } else if (name(start) === "fLaC" && bytes.length > start + 20) {
      return bytes[start + 18] << 12 | bytes[start + 19] << 4 | bytes[start + 20] >> 4;
    } else if (name(0) === "OggS" && bytes.length > 64) {
      const body = 27 + bytes[26];
      if (name(body, 8) === "OpusHead") return 48000;
      if (name(body + 1, 6) === "vorbis" && bytes.length > body + 16) return view.getUint32(body + 12, true);
    } else if (bytes.length > start + 4 && bytes[start] === 0xff && bytes[start + 1] >= 0xe0) {
      const version = bytes[start + 1] >> 3 & 3; // 3: MPEG 1, 2: MPEG 2, 0: MPEG 2.5
      return ([44100, 48000, 32000][bytes[start + 2] >> 2 & 3] || 0) >> (version === 3 ? 0 : version === 2 ? 1 : 2);
    }
    return 0;
  }

  // Channels that the header of a WAV, FLAC, Vorbis or Opus file states; 2 of others.
  function statedChannels(bytes) {
    const name = (at) => String.fromCharCode(...bytes.subarray(at, at + 4)), body = 27 + bytes[26];
    if (name(0) === "fLaC" && bytes.length > 20) return (bytes[20] >> 1 & 7) + 1;
    if (name(8) === "WAVE" && name(12) === "fmt " && bytes.length > 24) return bytes[22] | bytes[23] << 8;
    if (name(0) === "OggS" && bytes.length > body + 12) return name(body) === "Opus" ? bytes[body + 9] : bytes[body + 11];
    return 2;
  }

  // Whether it is a WAV file that ends where its samples would begin, or states that there are none.
  function empty(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const name = (at) => String.fromCharCode(...bytes.subarray(at, at + 4));
    if (name(0) !== "RIFF" || name(8) !== "WAVE") return false;
    for (let at = 12; at + 8 < bytes.length; at += 8 + view.getUint32(at + 4, true) + view.getUint32(at + 4, true) % 2) {
      if (name(at) === "data") return view.getUint32(at + 4, true) === 0;
    }
    return true;
  }

  // How many samples a clip of so many seconds is when it is decoded.
  const samples = (bytes, seconds) => seconds * (statedRate(bytes) || 48000) * statedChannels(bytes);

  // Decoded at the file's own rate, so that nothing is resampled; at 48 kHz where that is not to be had.
  async function decoded(bytes) {
    const rate = statedRate(bytes);
    let context = null;
    try { context = new OfflineAudioContext(1, 1, rate); } catch { context = new OfflineAudioContext(1, 1, 48000); }
    const heard = await context.decodeAudioData(bytes.slice().buffer);
    return { heard, own: rate === context.sampleRate, stated: rate, opus: bytes[0] === 0x4f && String.fromCharCode(...bytes.subarray(27 + bytes[26], 35 + bytes[26])) === "OpusHead" };
  }

  // Work in slices, so that the page stays awake; false if it was no longer wanted.
  async function inSlices(n, step, wanted) {
    for (let i = 0; i < n;) {
      const until = performance.now() + SLICE;
      do step(i++); while (i < n && performance.now() < until);
      await new Promise((next) => setTimeout(next));
      if (!wanted()) return false;
    }
    return true;
  }

  // The discrete Fourier transform in place, of a power of two of complex numbers.
  function transform(size) {
    const cos = new Float64Array(size / 2), sin = new Float64Array(size / 2), swapped = new Uint32Array(size);
    for (let k = 0; k < size / 2; k++) { cos[k] = Math.cos(2 * Math.PI * k / size); sin[k] = Math.sin(2 * Math.PI * k / size); }
    for (let k = 1; k < size; k++) swapped[k] = swapped[k >> 1] >> 1 | (k & 1 ? size >> 1 : 0);
    return (re, im) => {
      for (let k = 0; k < size; k++) {
        const j = swapped[k];
        if (j > k) { [re[k], re[j]] = [re[j], re[k]]; [im[k], im[j]] = [im[j], im[k]]; }
      }
      for (let half = 1, turn = size / 2; half < size; half *= 2, turn /= 2) {
        for (let from = 0; from < size; from += 2 * half) {
          for (let k = 0; k < half; k++) {
            const a = from + k, b = a + half, c = cos[k * turn], s = sin[k * turn];
            const x = re[b] * c + im[b] * s, y = im[b] * c - re[b] * s;
            re[b] = re[a] - x; im[b] = im[a] - y; re[a] += x; im[a] += y;
          }
        }
      }
    };
  }

  // Power by frequency around a sample, all channels mixed, Hann window; a sine at full scale has 1.
  function analyser(channels, size) {
    const fourier = transform(size), re = new Float64Array(size), im = new Float64Array(size), hann = new Float64Array(size);
    for (let k = 0; k < size; k++) hann[k] = (0.5 - 0.5 * Math.cos(2 * Math.PI * k / size)) / channels.length;
    return (middle, power) => {
      const from = Math.round(middle) - size / 2;
      for (let k = 0; k < size; k++) {
        let sum = 0;
        for (const samples of channels) sum += samples[from + k] || 0; // nothing before the start and after the end
        re[k] = sum * hann[k];
        im[k] = 0;
      }
      fourier(re, im);
      const scale = (4 / size) ** 2;
      for (let k = 0; k <= size / 2; k++) power[k] += (re[k] * re[k] + im[k] * im[k]) * scale;
    };
  }

  // Lowest and highest sample and mean square of each column, over all channels; and of the whole. Samples that are no
  // numbers are counted and become 0, for the spectrogram too.
  function outline(channels, columns) {
    const n = channels[0].length;
    const low = new Float32Array(columns), high = new Float32Array(columns), mean = new Float64Array(columns);
    const whole = { low, high, mean, peak: 0, odd: 0 };
    whole.step = (i) => {
      const from = Math.floor(i * n / columns), to = Math.max(from + 1, Math.floor((i + 1) * n / columns));
      let least = Infinity, most = -Infinity, squares = 0;
      for (const samples of channels) {
        for (let k = from; k < to; k++) {
          if (!Number.isFinite(samples[k])) { samples[k] = 0; whole.odd++; }
          const value = samples[k];
          if (value < least) least = value;
          if (value > most) most = value;
          squares += value * value;
        }
      }
      low[i] = least; high[i] = most; mean[i] = squares / ((to - from) * channels.length);
      whole.peak = Math.max(whole.peak, -least, most);
    };
    return whole;
  }

  // Levels in dB by row (the highest frequency first, spaced as on the mel scale) and column.
  function spectrogram(heard, channels, columns, rows) {
    const rate = heard.sampleRate, n = channels[0].length;
    const size = 2 ** Math.round(Math.log2(rate * 0.032));
    const analyse = analyser(channels, size), power = new Float64Array(size / 2 + 1), levels = new Float32Array(columns * rows);
    const edge = (row) => hertz(mel(rate / 2) * (1 - row / rows)) * size / rate; // in bins
    const hop = n / columns, windows = Math.max(1, Math.min(WINDOWS, Math.ceil(hop / size)));
    const step = (column) => {
      power.fill(0);
      for (let w = 0; w < windows; w++) analyse((column + (w + 0.5) / windows) * hop, power);
      for (let row = 0; row < rows; row++) {
        const above = edge(row), below = edge(row + 1);
        let most = 0;
        if (above - below < 1) { // several rows to a bin: in between two of them
          const at = (above + below) / 2, k = Math.min(size / 2 - 1, Math.floor(at));
          most = power[k] + (power[k + 1] - power[k]) * (at - k);
        } else for (let k = Math.ceil(below); k <= above; k++) most = Math.max(most, power[k]);
        levels[row * columns + column] = 10 * Math.log10(most / windows + 1e-20);
      }
    };
    return { levels, step, size };
  }

  return { decoded, samples, empty, inSlices, outline, spectrogram, mel };
})();
