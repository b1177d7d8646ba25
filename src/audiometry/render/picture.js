// The picture of a clip: outline and spectrogram on two canvases, their axes, and the scale of the colours; see player.js.

const picture = (() => {
  const RANGE = 70; // dB from the palest to the strongest colour
  const MOST_COLUMNS = 16000, MOST_ROWS = 400; // of a picture that is zoomed into
  const PALETTES = { // from below the range to its top; lightness alone tells them apart
    light: ["#fbfaf7", "#dfe9ee", "#a9cbdc", "#5b9fc2", "#22709f", "#153f6b", "#130f2e"],
    dark: ["#0d1013", "#10222f", "#12425f", "#1d6f9b", "#4aa5cf", "#a9dcee", "#fffbe6"],
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const decibels = (amplitude) => 20 * Math.log10(amplitude);
  const signed = (number, digits = 1) => number.toFixed(digits).replace("-", "−");

  function node(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  function shades(colours) {
    const table = new Uint8ClampedArray(256 * 3);
    const stops = colours.map((colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)));
    for (let i = 0; i < 256; i++) {
      const at = i / 255 * (stops.length - 1), k = Math.min(stops.length - 2, Math.floor(at));
      for (let c = 0; c < 3; c++) table[3 * i + c] = stops[k][c] + (stops[k + 1][c] - stops[k][c]) * (at - k);
    }
    return table;
  }

  function paint(canvas, levels, top, from = 0, to = canvas.width) {
    const { width, height } = canvas, table = shades(PALETTES[dark.matches ? "dark" : "light"]);
    if (to <= from) return;
    const image = new ImageData(to - from, height);
    for (let row = 0; row < height; row++) {
      for (let column = from; column < to; column++) {
        const shade = Math.max(0, Math.min(255, Math.round((levels[row * width + column] - top + RANGE) / RANGE * 255)));
        const at = 4 * (row * (to - from) + column - from);
        for (let c = 0; c < 3; c++) image.data[at + c] = table[3 * shade + c];
        image.data[at + 3] = 255;
      }
    }
    canvas.getContext("2d").putImageData(image, from, 0);
  }

  // The outline pale, the root mean square inside it strong; `top` is the level of the upper edge, in dBFS.
  function outlined(canvas, wave, top) {
    const pen = canvas.getContext("2d"), middle = canvas.height / 2, scale = middle / 10 ** (top / 20);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.fillStyle = getComputedStyle(canvas).color;
    const band = (at, high, low) => pen.fillRect(at, middle - high * scale, 1, Math.max(1, (high - low) * scale));
    pen.globalAlpha = 0.5;
    for (let i = 0; i < canvas.width; i++) band(i, wave.high[i], wave.low[i]);
    pen.globalAlpha = 1;
    for (let i = 0; i < canvas.width; i++) {
      const mean = Math.sqrt(wave.mean[i]);
      band(i, Math.min(mean, wave.high[i]), Math.max(-mean, wave.low[i]));
    }
  }

  const clock = (seconds, step) => seconds >= 60 || step >= 30
    ? `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, "0")}`
    : `${Number(seconds.toFixed(2))} s`;

  function timeAxis(axis, duration, width) {
    const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600].find((one) => one / duration * width >= 56) || 1200;
    const marks = [];
    for (let k = 0; k * step <= duration * 1.0001; k++) {
      const mark = node("span", {}, clock(k * step, step));
      mark.style.left = `${k * step / duration * 100}%`;
      if (k * step / duration * width < width - 16) marks.push(mark);
    }
    axis.replaceChildren(...marks);
  }

  function frequencyAxis(axis, limit, height) {
    const marks = [];
    let last = -Infinity;
    for (const hz of [250, 500, 1000, 2000, 4000, 8000, 16000, 32000]) {
      const from = sound.mel(hz) / sound.mel(limit) * height; // px from the bottom
      if (hz > limit || from - last < 13 || from < 8 || from > height - 5) continue;
      const mark = node("span", {}, hz < 1000 ? `${hz} Hz` : `${hz / 1000} kHz`);
      mark.style.bottom = `${from / height * 100}%`;
      marks.push(mark);
      last = from;
    }
    axis.replaceChildren(...marks);
  }

  // Columns that a canvas should have.
  const columnsOf = (canvas) => Math.max(1, Math.min(MOST_COLUMNS, Math.round(canvas.clientWidth * Math.min(2, devicePixelRatio || 1))));

  // The picture of a decoded clip inside `parts`, and again whenever its width or the theme changes.
  async function drawn(parts, clip, wanted) {
    const { heard } = clip, { wave, spectrum } = parts;
    const channels = Array.from({ length: heard.numberOfChannels }, (_, i) => heard.getChannelData(i));
    const dense = Math.min(2, devicePixelRatio || 1);
    const columns = columnsOf(spectrum);
    wave.width = spectrum.width = columns;
    wave.height = Math.round(wave.clientHeight * dense);
    spectrum.height = Math.min(MOST_ROWS, Math.round(spectrum.clientHeight * dense));
    timeAxis(parts.times, heard.duration, spectrum.clientWidth);
    frequencyAxis(parts.hertz, heard.sampleRate / 2, spectrum.clientHeight);
    const whole = sound.outline(channels, columns);
    if (!await sound.inSlices(columns, whole.step, wanted)) return null;
    clip.odd = (clip.odd || 0) + whole.odd;
    const peak = decibels(whole.peak);
    const edge = whole.peak > 0 ? Math.max(-60, 6 * Math.ceil(peak / 6 - 1e-9)) : 0; // steps of 6 dB, a doubling each
    outlined(wave, whole, edge);
    parts.level.textContent = `${signed(edge, 0)} dBFS`;
    const { levels, step, size } = sound.spectrogram(heard, channels, columns, spectrum.height);
    let painted = 0;
    const drawing = (column) => {
      step(column);
      if (column - painted >= 64) { paint(spectrum, levels, edge, painted, column + 1); painted = column + 1; }
    };
    if (!await sound.inSlices(columns, drawing, wanted)) return null;
    let most = -200;
    for (const level of levels) if (level > most) most = level;
    const top = Math.max(-90, 5 * Math.ceil(most / 5)), mean = whole.mean.reduce((sum, one) => sum + one, 0) / columns;
    const repaint = () => { paint(spectrum, levels, top); outlined(wave, whole, edge); };
    repaint();
    return { repaint, top, size, silent: whole.peak === 0, peak, rms: 10 * Math.log10(mean), channels: channels.length };
  }

  function scale(drawn) {
    const colours = PALETTES[dark.matches ? "dark" : "light"].join(", ");
    const bar = node("span", { class: "bar-of-levels", "aria-hidden": "true" });
    bar.style.background = `linear-gradient(to right, ${colours})`;
    return node("span", { class: "levels" }, `${signed(drawn.top - RANGE, 0)} `, bar, ` ${signed(drawn.top, 0)} dBFS`);
  }

  return { draw: drawn, scale, node, signed, dark, columns: columnsOf };
})();
