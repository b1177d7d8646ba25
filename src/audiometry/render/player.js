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
// Returns { audio, state(), stop() }. Nothing is read or drawn before the player comes into view; a player that has
// left the page is stopped by the next one. Colours come from the page's custom properties (see player.css).

const player = (() => {
  const LONGEST = 1800; // seconds of which a picture is drawn
  const MOST = 1800 * 48000 * 2; // samples that are decoded for a picture, which take 700 MB: half an hour of stereo
  const live = new Set();
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const { node, signed, dark } = picture;

  const kilohertz = (hz) => `${Number((hz / 1000).toFixed(3))} kHz`;

  function facts(clip, drawn) {
    const { heard, own, stated } = clip;
    const said = [`${heard.duration.toFixed(2)} s`, kilohertz(own ? heard.sampleRate : stated || heard.sampleRate)];
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
      button.addEventListener("click", () => loop(i));
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
    function without(why) { drawing.hidden = true; root.dataset.state = "none"; parts.about.classList.add("none"); say(why); }

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

    function follow() {
      const share = audio.duration ? audio.currentTime / audio.duration : 0;
      parts.cursor.style.left = `${100 * Math.min(1, share)}%`;
      parts.seek.setAttribute("aria-valuenow", audio.currentTime.toFixed(2));
      parts.seek.setAttribute("aria-valuetext", `${audio.currentTime.toFixed(1)} of ${(audio.duration || 0).toFixed(1)} seconds`);
    }

    function again() {
      const span = spans[looping];
      if (span && (audio.currentTime >= Math.min(span.to, audio.duration - 0.01) || audio.ended)) audio.currentTime = span.from;
    }

    function everyFrame() {
      again();
      if (!calm.matches) follow();
      if (!stopped && !audio.paused) requestAnimationFrame(everyFrame);
    }

    function loop(i) {
      looping = looping === i ? -1 : i;
      buttons.forEach((button, k) => button && button.setAttribute("aria-pressed", String(k === looping)));
      parts.looped.hidden = looping < 0;
      if (looping < 0) { audio.pause(); return; }
      parts.looped.style.left = `${spans[i].from / audio.duration * 100}%`;
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
    audio.addEventListener("play", everyFrame);
    for (const name of ["timeupdate", "seeked", "ended"]) audio.addEventListener(name, () => { again(); follow(); if (name === "ended" && looping >= 0) audio.play().catch(() => {}); });
    const sized = new ResizeObserver(() => {
      if (drawn !== null && Math.abs(parts.spectrum.clientWidth - parts.spectrum.width / Math.min(2, devicePixelRatio || 1)) > 1 && parts.spectrum.clientWidth < picture.MOST_COLUMNS) redraw();
    });
    dark.addEventListener("change", recolour);
    const watch = new IntersectionObserver((entries) => { if (entries.some((one) => one.isIntersecting)) { watch.disconnect(); arrived(); } }, { rootMargin: "300px" });
    watch.observe(root);
    begin();
    return { audio, state: () => root.dataset.state, stop };
  };
})();
