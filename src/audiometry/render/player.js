// A clip to listen to and to look at: waveform and spectrogram, drawn in the browser from the clip's own bytes, with a
// cursor. A page has sound.js and picture.js before it; no library, no build.
//
//   player(element, source, { label, spans })
//
// element  gets the player appended.
// source   { bytes, type } of a clip inside the page: bytes() gives its file as Uint8Array, type is its media type;
//          or { href, type } of one beside it, which is drawn where the page came from a web server.
// label    what the clip is called, for those who cannot see.
// spans    ranges of time to play in a loop: { from, to (seconds), mark (a letter or two), signs (what stands behind it,
//          small nodes or texts; may be absent), name, right }.
//
// What lies between two points of the picture, dragged over or set at the cursor, plays in a loop too; the time can be
// drawn up to 16 times as wide. On the position's slider + and − zoom, [ and ] (or < and >) set the ends of a loop,
// Escape leaves it.
//
// Returns { audio, state(), stop(), act(key) }; act does what the slider does with one of these keys, and tells whether
// it is one. Nothing is read or drawn before the player comes into view; a player that has
// left the page is stopped by the next one. Colours come from the page's custom properties (see player.css).

const player = (() => {
  const LONGEST = 1800; // seconds of which a picture is drawn
  const MOST = 1800 * 48000 * 2; // samples that are decoded for a picture, which take 700 MB: half an hour of stereo
  const WIDEST = 16; // times the width of the page
  const SHORTEST = 0.05; // seconds that play in a loop
  const DRAG = 6; // px from where a pointer seeks to where it selects
  const live = new Set();
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const { node, signed, dark } = picture;

  const kilohertz = (hz) => `${Number((hz / 1000).toFixed(3))} kHz`;

  function facts(clip, drawn) {
    const { heard, own, stated } = clip;
    const rate = kilohertz(own ? heard.sampleRate : stated || heard.sampleRate);
    const said = [`${heard.duration.toFixed(2)} s`, clip.opus ? `Opus, decoded at ${rate}` : rate]; // its source's rate is not in the sound
    said.push(drawn.channels === 1 ? "mono" : drawn.channels === 2 ? "stereo, mixed in the spectrogram" : `${drawn.channels} channels, mixed in the spectrogram`);
    said.push(drawn.silent ? "digital silence" : `peak ${signed(drawn.peak)} dBFS, RMS ${signed(drawn.rms)} dBFS`);
    if (clip.odd) said.push(`${clip.odd.toLocaleString("en")} samples are no numbers (NaN or infinite), drawn as 0`);
    if (!own) said.push(`decoded at ${kilohertz(heard.sampleRate)} by this browser: shown up to ${kilohertz(Math.min(heard.sampleRate, stated || Infinity) / 2)}`);
    return said.join(" · ");
  }

  // Bands that overlap lie in lanes of their own, each in the first that is free from where it begins.
  function bands(box, spans, duration, loop) {
    const ends = [], made = spans.map(() => null);
    [...spans.entries()].sort(([, a], [, b]) => a.from - b.from).forEach(([i, span]) => {
      if (!(span.from < duration)) return;
      const text = `${span.right ? "✓ " : ""}${span.mark}`, signs = (span.signs || []).flatMap((sign) => [" ", sign]);
      const needed = duration * (0.02 + 0.025 * (text.length + signs.reduce((sum, sign) => sum + (sign.length || 2), 0))); // room for it
      const from = Math.min(span.from, Math.max(0, duration - needed));
      let lane = ends.findIndex((until) => until <= from);
      if (lane < 0) lane = ends.length;
      ends[lane] = Math.max(span.to, from + needed);
      const button = node("button", { type: "button", class: `band${span.right ? " right" : ""}`, "aria-pressed": "false", title: span.name, "aria-label": `${span.name}: play ${span.from} to ${span.to} s in a loop` }, text, ...signs);
      const to = Math.min(span.to, duration);
      if (from < span.from) button.style.right = `${(1 - to / duration) * 100}%`; else button.style.left = `${span.from / duration * 100}%`;
      button.style.width = `${(to - span.from) / duration * 100}%`;
      button.style.top = `${lane * 1.75}rem`;
      button.addEventListener("click", () => loop(span));
      made[i] = button;
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
      seek: node("div", { class: "seek", role: "slider", tabindex: "0", "aria-label": `Position in ${label}`, "aria-keyshortcuts": "+ - [ ]", "aria-valuemin": "0", "aria-valuemax": "0", "aria-valuenow": "0" }),
      bands: node("div", { class: "bands", role: "group", "aria-label": "Ranges to play in a loop" }), about: node("p", { class: "about small" }),
    };
    const stage = node("div", { class: "stage" }, parts.wave, parts.spectrum, parts.looped, parts.cursor, parts.seek);
    const middle = node("div", { class: "middle" }, parts.bands, stage, parts.times), view = node("div", { class: "view" }, middle);
    const drawing = node("div", { class: "drawing" }, parts.level, parts.hertz, view);
    const tool = (key, name, text = key) => {
      const made = node("button", { type: "button", class: "tool", "aria-label": name, title: `${name} (${key})` }, text);
      made.addEventListener("click", () => act(key));
      return made;
    };
    const ends = node("span", { class: "ends" }), wide = node("span", { class: "wide" }, "1×");
    const tools = { out: tool("-", "Zoom out", "−"), in: tool("+", "Zoom in"), from: tool("[", "Loop from here", "from here"), to: tool("]", "Loop to here", "to here"), none: tool("Escape", "Leave the loop", "×") };
    const row = node("div", { class: "tools", role: "group", "aria-label": `Zoom and loop of ${label}`, hidden: "" }, tools.out, wide, tools.in, node("span", { class: "of" }, "Loop"), tools.from, tools.to, ends, tools.none);
    const audio = node("audio", { controls: "", preload: "metadata", "aria-label": label });
    const root = node("div", { class: "player", "data-state": "waiting" }, drawing, row, audio, parts.about);
    element.append(root);
    const me = { element: root, shown: false, stop };
    live.add(me);
    let stopped = false, looping = null, zoom = 1, pressed = null, buttons = [], address = "", round = 0, drawn = null, clip = null;

    let arrived = null;
    const seen = new Promise((inView) => { arrived = () => { me.shown = true; inView(); }; });

    const say = (text) => { parts.about.textContent = text; parts.about.setAttribute("role", "status"); };
    function without(why) { drawing.hidden = row.hidden = true; root.dataset.state = "none"; parts.about.classList.add("none"); say(why); }

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
      parts.about.replaceChildren(`${facts(clip, drawn)} · `, picture.scale(drawn));
    }

    async function redraw() {
      const mine = ++round;
      const found = await picture.draw(parts, clip, () => mine === round && !stopped && root.isConnected);
      if (found === null) return;
      drawn = found;
      recolour();
      row.hidden = false;
      scrolled();
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
        if (!(audio.duration > 0 && audio.duration < Infinity)) return without(audio.duration > 0 && !(bytes && sound.empty(bytes)) ? "There is no picture: the clip states no length." : "The clip holds no sound.");
        if (audio.duration > LONGEST) return without(`The clip plays; its picture is drawn of up to ${LONGEST / 60} minutes.`);
        await seen;
        if (bytes === null) bytes = new Uint8Array(await (await fetch(source.href)).arrayBuffer());
        if (sound.samples(bytes, audio.duration) > MOST) return without("The clip plays, but it has too many samples for a picture: one is drawn of as many as half an hour of stereo at 48 kHz has.");
        if (!stopped) clip = await sound.decoded(bytes).catch(() => null);
      } catch {
        audio.hidden = true;
        return without(`This browser cannot play the clip${source.type ? ` (${source.type})` : ""}.`);
      }
      if (clip === null) return stopped || without("The clip plays, but this browser cannot decode it for a picture.");
      await redraw();
      sized.observe(stage);
    }

    const percent = (seconds) => `${100 * Math.max(0, Math.min(1, audio.duration ? seconds / audio.duration : 0))}%`;
    const start = () => audio.play().catch(() => {});
    // Axes stand beside what is scrolled, and its bar is below them.
    const scrolled = () => drawing.style.setProperty("--bar", `${view.offsetHeight - view.clientHeight}px`);

    function follow() {
      parts.cursor.style.left = percent(audio.currentTime);
      parts.seek.setAttribute("aria-valuenow", audio.currentTime.toFixed(2));
      parts.seek.setAttribute("aria-valuetext", `${audio.currentTime.toFixed(1)} of ${(audio.duration || 0).toFixed(1)} seconds`);
      if (zoom === 1 || pressed !== null) return;
      const at = audio.currentTime / audio.duration * middle.clientWidth - view.scrollLeft;
      if (at < 0 || at > view.clientWidth) view.scrollLeft += at - view.clientWidth / 10;
    }

    function again() {
      if (looping && (audio.currentTime >= Math.min(looping.to, audio.duration - 0.01) || audio.ended)) audio.currentTime = looping.from;
    }

    function everyFrame() {
      again();
      if (!calm.matches) follow();
      if (!stopped && !audio.paused) requestAnimationFrame(everyFrame);
    }

    // Mark a range as the loop; none for null.
    function mark(range) {
      looping = range;
      buttons.forEach((button, k) => button && button.setAttribute("aria-pressed", String(spans[k] === range)));
      parts.looped.hidden = tools.none.hidden = !range;
      ends.textContent = range ? `${range.from.toFixed(2)} to ${Math.min(range.to, audio.duration).toFixed(2)} s` : "";
      if (!range) return;
      parts.looped.style.left = percent(range.from);
      parts.looped.style.width = percent(Math.min(range.to, audio.duration) - range.from);
    }

    // Play a range in a loop; the one that does already ends.
    function loop(range) {
      if (looping === range) { mark(null); audio.pause(); return; }
      mark(range);
      audio.currentTime = range.from;
      start();
    }

    // To seek out of a loop is to leave it.
    function seek(seconds) {
      const to = Math.max(0, Math.min(audio.duration || 0, seconds));
      if (looping && (to < looping.from || to >= looping.to)) mark(null);
      audio.currentTime = to;
      follow();
    }

    // An end of the loop at the cursor; the other stays where it is, if it is on the right side of it.
    function end(which) {
      const now = audio.currentTime, whole = { from: 0, to: audio.duration }, made = { ...whole, ...(looping && { from: looping.from, to: looping.to }), [which]: now };
      if (made.to - made.from < SHORTEST) made[which === "from" ? "to" : "from"] = whole[which === "from" ? "to" : "from"];
      if (made.to - made.from >= SHORTEST) mark(made);
    }

    function zoomed(times) {
      zoom = Math.max(1, Math.min(WIDEST, times));
      const at = (looping ? (looping.from + looping.to) / 2 : audio.currentTime) / audio.duration;
      middle.style.width = `${100 * zoom}%`;
      wide.textContent = `${zoom}×`;
      tools.in.disabled = zoom === WIDEST;
      tools.out.disabled = zoom === 1;
      view.scrollLeft = at * middle.clientWidth - view.clientWidth / 2;
      scrolled();
    }

    function act(key) {
      const acts = { "+": () => zoomed(2 * zoom), "=": () => zoomed(2 * zoom), "-": () => zoomed(zoom / 2), "[": () => end("from"), "<": () => end("from"), "]": () => end("to"), ">": () => end("to") };
      if (looping) acts.Escape = () => mark(null);
      if (row.hidden || !acts[key]) return false;
      acts[key]();
      return true;
    }

    const pointed = (event) => {
      const box = parts.seek.getBoundingClientRect();
      return Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * audio.duration;
    };

    parts.seek.addEventListener("pointerdown", (event) => {
      if (!audio.duration || event.button) return;
      parts.seek.setPointerCapture(event.pointerId);
      pressed = { at: pointed(event), x: event.clientX, range: null };
      seek(pressed.at);
    });
    parts.seek.addEventListener("pointermove", (event) => {
      if (pressed === null || (!pressed.range && Math.abs(event.clientX - pressed.x) < DRAG)) return;
      const to = pointed(event);
      pressed.range = { from: Math.min(pressed.at, to), to: Math.max(pressed.at, to) };
      if (pressed.range.to - pressed.range.from >= SHORTEST) mark(pressed.range);
    });
    parts.seek.addEventListener("pointerup", () => {
      if (pressed?.range && pressed.range === looping) { audio.currentTime = looping.from; start(); }
      pressed = null;
      follow();
    });
    parts.seek.addEventListener("pointercancel", () => { pressed = null; });
    parts.seek.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const length = audio.duration || 0, little = Math.min(5, Math.max(0.05, length / 40 / zoom));
      const to = { ArrowRight: audio.currentTime + little, ArrowLeft: audio.currentTime - little, PageUp: audio.currentTime + length / 10, PageDown: audio.currentTime - length / 10, Home: 0, End: length }[event.key];
      if (to !== undefined) seek(to);
      else if (event.key === " ") { if (audio.paused) start(); else audio.pause(); }
      else if (!act(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    tools.out.disabled = tools.none.hidden = true;
    audio.addEventListener("play", everyFrame);
    for (const name of ["timeupdate", "seeked", "ended"]) audio.addEventListener(name, () => { again(); follow(); if (name === "ended" && looping) start(); });
    const sized = new ResizeObserver(() => {
      if (drawn !== null && Math.abs(picture.columns(parts.spectrum) - parts.spectrum.width) > 1) redraw();
      scrolled();
    });
    dark.addEventListener("change", recolour);
    const watch = new IntersectionObserver((entries) => { if (entries.some((one) => one.isIntersecting)) { watch.disconnect(); arrived(); } }, { rootMargin: "300px" });
    watch.observe(root);
    begin();
    return { audio, state: () => root.dataset.state, stop, act };
  };
})();
