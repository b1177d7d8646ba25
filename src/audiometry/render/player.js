// A clip to listen to and to look at (with sound.js before it): waveform and spectrogram, drawn in the browser from the clip's own bytes.
//
//   player(element, source, { label, spans })
//
// element  gets the player appended.
// source   { bytes, type } of a clip inside the page: bytes() gives its file as Uint8Array, type is its media type;
//          or { href, type } of one beside it, which is drawn where the page came from a web server.
// label    what the clip is called, for those who cannot see.
// spans    ranges of time to play in a loop: { from, to (seconds), mark (a letter or two), name, right }.
//
// Returns { audio, state(), stop() }. Nothing is read or drawn before the player comes into view; a player that has
// left the page is stopped by the next one. Colours come from the page's custom properties (see player.css).

const player = (() => {
  const RANGE = 70; // dB from the palest to the strongest colour
  const LONGEST = 1800; // seconds that are decoded for a picture: an hour of stereo would take 1.4 GB
  const MOST_COLUMNS = 2000, MOST_ROWS = 400;
  const PALETTES = { // from below the range to its top; lightness alone tells them apart
    light: ["#fbfaf7", "#dfe9ee", "#a9cbdc", "#5b9fc2", "#22709f", "#153f6b", "#130f2e"],
    dark: ["#0d1013", "#10222f", "#12425f", "#1d6f9b", "#4aa5cf", "#a9dcee", "#fffbe6"],
  };
  const live = new Set();
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
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
  function draw(canvas, wave, top) {
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
      if (hz > limit || from - last < 17 || from < 8 || from > height - 5) continue;
      const mark = node("span", {}, hz < 1000 ? `${hz} Hz` : `${hz / 1000} kHz`);
      mark.style.bottom = `${from / height * 100}%`;
      marks.push(mark);
      last = from;
    }
    axis.replaceChildren(...marks);
  }

  // The picture of a decoded clip inside `parts`, and again whenever its width or the theme changes.
  async function picture(parts, clip, wanted) {
    const { heard } = clip, { wave, spectrum } = parts;
    const channels = Array.from({ length: heard.numberOfChannels }, (_, i) => heard.getChannelData(i));
    const dense = Math.min(2, devicePixelRatio || 1);
    const columns = Math.max(1, Math.min(MOST_COLUMNS, Math.round(spectrum.clientWidth * dense)));
    wave.width = spectrum.width = columns;
    wave.height = Math.round(wave.clientHeight * dense);
    spectrum.height = Math.min(MOST_ROWS, Math.round(spectrum.clientHeight * dense));
    timeAxis(parts.times, heard.duration, spectrum.clientWidth);
    frequencyAxis(parts.hertz, heard.sampleRate / 2, spectrum.clientHeight);
    const outlined = sound.outline(channels, columns);
    if (!await sound.inSlices(columns, outlined.step, wanted)) return null;
    const peak = decibels(outlined.peak);
    const edge = outlined.peak > 0 ? Math.max(-60, 6 * Math.ceil(peak / 6 - 1e-9)) : 0; // steps of 6 dB, a doubling each
    draw(wave, outlined, edge);
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
    const top = Math.max(-90, 5 * Math.ceil(most / 5)), mean = outlined.mean.reduce((sum, one) => sum + one, 0) / columns;
    const repaint = () => { paint(spectrum, levels, top); draw(wave, outlined, edge); };
    repaint();
    return { repaint, top, size, silent: outlined.peak === 0, peak, rms: 10 * Math.log10(mean), channels: channels.length };
  }

  const kilohertz = (hz) => `${Number((hz / 1000).toFixed(3))} kHz`;

  function facts(clip, drawn) {
    const { heard, own, stated } = clip;
    const said = [`${heard.duration.toFixed(2)} s`, kilohertz(own ? heard.sampleRate : stated || heard.sampleRate)];
    said.push(drawn.channels === 1 ? "mono" : drawn.channels === 2 ? "stereo, mixed in the spectrogram" : `${drawn.channels} channels, mixed in the spectrogram`);
    said.push(drawn.silent ? "digital silence" : `peak ${signed(drawn.peak)} dBFS, RMS ${signed(drawn.rms)} dBFS`);
    if (!own) said.push(`decoded at ${kilohertz(heard.sampleRate)} by this browser: shown up to ${kilohertz(Math.min(heard.sampleRate, stated || Infinity) / 2)}`);
    return said.join(" · ");
  }

  function scale(drawn) {
    const colours = PALETTES[dark.matches ? "dark" : "light"].join(", ");
    const bar = node("span", { class: "bar-of-levels", "aria-hidden": "true" });
    bar.style.background = `linear-gradient(to right, ${colours})`;
    return node("span", { class: "levels" }, `${signed(drawn.top - RANGE, 0)} `, bar, ` ${signed(drawn.top, 0)} dBFS`);
  }

  // Bands that overlap lie in lanes of their own.
  function bands(box, spans, duration, loop) {
    const ends = [];
    const made = spans.map((span, i) => {
      if (!(span.from < duration)) return null;
      let lane = ends.findIndex((end) => end <= span.from);
      if (lane < 0) lane = ends.length;
      ends[lane] = Math.max(span.to, span.from + duration * 0.07); // a letter needs room, however short its range
      const button = node("button", { type: "button", class: `band${span.right ? " right" : ""}`, "aria-pressed": "false", "aria-label": `${span.name}: play ${span.from} to ${span.to} s in a loop` }, `${span.right ? "✓ " : ""}${span.mark}`);
      button.style.left = `${span.from / duration * 100}%`;
      button.style.width = `${(Math.min(span.to, duration) - span.from) / duration * 100}%`;
      button.style.top = `${lane * 1.75}rem`;
      button.addEventListener("click", () => loop(i));
      return button;
    });
    box.style.height = `${ends.length * 1.75}rem`;
    box.replaceChildren(...made.filter(Boolean));
    return made;
  }

  return function player(element, source, { label = "Clip", spans = [] } = {}) {
    for (const one of live) if (one.shown && !one.element.isConnected) one.stop();
    const canvas = (name, what) => node("canvas", { class: name, role: "img", "aria-label": `${what} of ${label}`, width: 1, height: 1 });
    const parts = {
      wave: canvas("wave", "Waveform"), spectrum: canvas("spectrum", "Spectrogram"),
      times: node("div", { class: "times", "aria-hidden": "true" }), hertz: node("div", { class: "hertz", "aria-hidden": "true" }),
      level: node("span", { class: "level", "aria-hidden": "true" }), cursor: node("div", { class: "cursor" }), looped: node("div", { class: "looped", hidden: "" }),
      seek: node("div", { class: "seek", role: "slider", tabindex: "0", "aria-label": `Position in ${label}`, "aria-valuemin": "0", "aria-valuemax": "0", "aria-valuenow": "0" }),
      bands: node("div", { class: "bands", role: "group", "aria-label": "Ranges to play in a loop" }), about: node("p", { class: "about small" }),
    };
    const stage = node("div", { class: "stage" }, parts.wave, parts.spectrum, parts.looped, parts.cursor, parts.seek);
    const drawing = node("div", { class: "drawing" }, parts.level, parts.hertz, node("div", { class: "middle" }, parts.bands, stage, parts.times));
    const audio = node("audio", { controls: "", preload: "metadata", "aria-label": label });
    const root = node("div", { class: "player", "data-state": "waiting" }, drawing, audio, parts.about);
    element.append(root);
    const me = { element: root, shown: false, stop };
    live.add(me);
    let stopped = false, looping = -1, buttons = [], address = "", round = 0, drawn = null, clip = null;

    let arrived = null;
    const seen = new Promise((inView) => { arrived = () => { me.shown = true; inView(); }; });

    const say = (text) => { parts.about.textContent = text; parts.about.setAttribute("role", "status"); };
    function without(why) { drawing.hidden = true; root.dataset.state = "none"; say(why); }

    function stop() {
      stopped = true;
      live.delete(me);
      audio.pause();
      watch.disconnect();
      sized.disconnect();
      dark.removeEventListener("change", recolour);
      if (address) URL.revokeObjectURL(address);
    }

    function recolour() {
      if (drawn === null) return;
      drawn.repaint();
      parts.about.replaceChildren(`${facts(clip, drawn)} · `, scale(drawn));
    }

    async function redraw() {
      const mine = ++round;
      const found = await picture(parts, clip, () => mine === round && !stopped && root.isConnected);
      if (found === null) return;
      drawn = found;
      recolour();
      root.dataset.state = "drawn";
    }

    // The sound first, since it may be asked for at once; the picture when it comes into view.
    async function begin() {
      try {
        let bytes = source.bytes ? source.bytes() : null;
        if (bytes instanceof Promise) bytes = await bytes;
        if (bytes !== null) address = URL.createObjectURL(new Blob([bytes], source.type ? { type: source.type } : {}));
        const known = new Promise((loaded, failed) => { audio.addEventListener("loadedmetadata", loaded, { once: true }); audio.addEventListener("error", failed, { once: true }); });
        audio.src = address || source.href;
        await known;
        buttons = bands(parts.bands, spans, audio.duration, loop);
        parts.seek.setAttribute("aria-valuemax", audio.duration.toFixed(2));
        follow();
        if (bytes === null && !location.protocol.startsWith("http")) return without("The picture needs the clip inside the page, or the page on a web server.");
        if (audio.duration > LONGEST) return without(`The clip plays; its picture is drawn of up to ${LONGEST / 60} minutes.`);
        await seen;
        if (bytes === null) bytes = new Uint8Array(await (await fetch(source.href)).arrayBuffer());
        if (!stopped) clip = await sound.decoded(bytes).catch(() => null);
      } catch {
        audio.hidden = true;
        return without(`This browser cannot play the clip${source.type ? ` (${source.type})` : ""}.`);
      }
      if (clip === null) return stopped || without("The clip plays, but this browser cannot decode it for a picture.");
      await redraw();
      sized.observe(stage);
    }

    function follow() {
      const share = audio.duration ? audio.currentTime / audio.duration : 0;
      parts.cursor.style.left = `${100 * Math.min(1, share)}%`;
      parts.seek.setAttribute("aria-valuenow", audio.currentTime.toFixed(2));
      parts.seek.setAttribute("aria-valuetext", `${audio.currentTime.toFixed(1)} of ${(audio.duration || 0).toFixed(1)} seconds`);
      const span = spans[looping];
      if (span && (audio.currentTime >= Math.min(span.to, audio.duration - 0.01) || audio.ended)) audio.currentTime = span.from;
    }

    function everyFrame() {
      follow();
      if (!stopped && !audio.paused) requestAnimationFrame(everyFrame);
    }

    function loop(i) {
      looping = looping === i ? -1 : i;
      buttons.forEach((button, k) => button && button.setAttribute("aria-pressed", String(k === looping)));
      parts.looped.hidden = looping < 0;
      if (looping < 0) { audio.pause(); return; }
      parts.looped.style.left = buttons[i].style.left;
      parts.looped.style.width = buttons[i].style.width;
      audio.currentTime = spans[i].from;
      audio.play().catch(() => {});
    }

    // To seek out of a loop is to leave it.
    function seek(seconds) {
      const to = Math.max(0, Math.min(audio.duration || 0, seconds)), span = spans[looping];
      if (span && (to < span.from || to >= span.to)) { const playing = !audio.paused; loop(looping); if (playing) audio.play().catch(() => {}); }
      audio.currentTime = to;
      follow();
    }

    function pointed(event) {
      const box = parts.seek.getBoundingClientRect();
      if (audio.duration) seek((event.clientX - box.left) / box.width * audio.duration);
    }

    parts.seek.addEventListener("pointerdown", (event) => { parts.seek.setPointerCapture(event.pointerId); pointed(event); });
    parts.seek.addEventListener("pointermove", (event) => { if (parts.seek.hasPointerCapture(event.pointerId)) pointed(event); });
    parts.seek.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const length = audio.duration || 0, little = Math.min(5, Math.max(0.05, length / 40));
      const to = { ArrowRight: audio.currentTime + little, ArrowLeft: audio.currentTime - little, PageUp: audio.currentTime + length / 10, PageDown: audio.currentTime - length / 10, Home: 0, End: length }[event.key];
      if (to !== undefined) seek(to);
      else if (event.key === " ") { if (audio.paused) audio.play().catch(() => {}); else audio.pause(); }
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    audio.addEventListener("play", () => { if (!calm.matches || looping >= 0) everyFrame(); });
    for (const name of ["timeupdate", "seeked", "ended"]) audio.addEventListener(name, () => { follow(); if (name === "ended" && looping >= 0) audio.play().catch(() => {}); });
    const sized = new ResizeObserver(() => {
      if (drawn !== null && Math.abs(parts.spectrum.clientWidth - parts.spectrum.width / Math.min(2, devicePixelRatio || 1)) > 1 && parts.spectrum.clientWidth < MOST_COLUMNS) redraw();
    });
    dark.addEventListener("change", recolour);
    const watch = new IntersectionObserver((entries) => { if (entries.some((one) => one.isIntersecting)) { watch.disconnect(); arrived(); } }, { rootMargin: "300px" });
    watch.observe(root);
    begin();
    return { audio, state: () => root.dataset.state, stop };
  };
})();
