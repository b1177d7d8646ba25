// Asking: say it, hear it back, send it; or upload it, or type it. What goes wrong is a state with a way on.

import { ask, Problem } from "/file/ask.js";
import { browser, sound, tab } from "/file/kept.js";
import { devices, missing, open, record, Trouble, type } from "/file/microphone.js";
import { bars, draw, follow, sized, still } from "/file/outline.js";
import { node } from "/file/parts.js";
import { act, announce, attempt, complain, main, once, problems, show, why } from "/file/stage.js";
import { say } from "/file/words.js";

const QUIET = -54, LOW = -30, LOUD = -1; // dBFS: below it nothing is heard, a voice is quiet, sound is cut off
const HINT = 2.5; // seconds of nothing until it is said
const LONGEST = 2000; // characters of a typed question
const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
const word = (level) => say(`level.${level < QUIET ? "none" : level < LOW ? "quiet" : level < LOUD ? "good" : "loud"}`);

export function speaking({ settings, began, refused }) {
  let microphone = null, recording = null;

  const forget = () => { tab.drop("recording"); tab.drop("typed"); sound.drop(); };
  const shut = () => { microphone?.close(); microphone = null; };

  // A bar of the level, its word beside it; `heard` is told of each level.
  function meter(heard = () => {}) {
    const fill = node("span", { class: "fill" }), text = node("span", { class: "small" }, say("level.none"));
    const bar = node("div", { class: "meter", role: "meter", "aria-label": say("level"), "aria-valuemin": "-60", "aria-valuemax": "0", "aria-valuenow": "-60", "aria-valuetext": say("level.none") }, fill);
    let at = -60, told = 0;
    function tick(time) {
      if (!microphone || !bar.isConnected) return;
      const level = microphone.level();
      at = Math.max(level, at - 1.5);
      heard(level);
      if (!still() || time - told > 250) fill.style.width = `${100 * sized(at)}%`;
      if (time - told > 250) {
        told = time;
        text.textContent = word(at);
        bar.setAttribute("aria-valuenow", String(Math.round(Math.max(-60, Math.min(0, at)))));
        bar.setAttribute("aria-valuetext", word(at));
      }
      requestAnimationFrame(tick);
    }
    requestAnimationFrame(tick);
    return node("div", { class: "metered" }, bar, text);
  }

  const opened = async () => {
    const opening = microphone ? null : open(browser.read("device"), settings.processing).then((found) => { microphone = found; });
    await Promise.all([opening, type()]);
  };

  async function choice() {
    const found = missing() ? [] : (await devices()).filter((one) => one.label);
    const box = main.querySelector(".devices");
    if (!box || found.length < 1) return;
    const list = node("select", { id: "device" }, node("option", { value: "" }, say("microphone.default")), ...found.map((one, n) => node("option", { value: one.deviceId }, one.label || say("microphone.n", { n: n + 1 }))));
    list.value = found.some((one) => one.deviceId === browser.read("device")) ? browser.read("device") : "";
    list.addEventListener("change", () => { browser.write("device", list.value); if (microphone) { shut(); check(); } });
    box.replaceChildren(node("label", { for: "device" }, say("microphone")), list);
  }

  // What can be heard before anything is recorded.
  const check = () => once(async () => {
    const box = main.querySelector(".check");
    if (microphone) { shut(); return box.replaceChildren(act("check", check, { light: true, pressed: "m" })); }
    try { await opened(); } catch (problem) { return ready(troubled(problem)); }
    const end = act("check.end", check, { light: true, pressed: "m" });
    box.replaceChildren(end, meter(), node("p", { class: "small" }, say("check.about")));
    end.focus();
    choice();
  });

  const troubled = (problem) => { if (!(problem instanceof Trouble)) throw problem; shut(); return problem.name; };

  const file = node("input", { type: "file", accept: "audio/*,video/mp4,video/webm", class: "visually-hidden", tabindex: "-1", "aria-hidden": "true" });
  file.addEventListener("change", () => { const [one] = file.files; file.value = ""; if (one) took(one, { source: "upload" }); });
  const upload = () => file.click();

  // The ways to ask but by speaking.
  const others = (now = "") => node("div", { class: "acts others" },
    settings.upload && now !== "upload" ? act("upload", upload, { light: true, pressed: "u" }) : null,
    settings.typed && now !== "typed" ? act("type", typed, { light: true, pressed: "t" }) : null,
    now ? act("speak", () => ready(), { light: true, pressed: "r" }) : null, file);

  const keys = () => ({ ...(settings.upload && { u: upload }), ...(settings.typed && { t: typed }) });

  // Ready to record; `trouble` names what is in the way.
  function ready(trouble = missing(), line = "") {
    recording = null;
    const start = node("button", { type: "button", class: "round", id: "record", "aria-keyshortcuts": "r" }, node("span", { class: "disc", "aria-hidden": "true" }), node("span", {}, say("record"), " ", node("kbd", { "aria-hidden": "true" }, "R")));
    start.addEventListener("click", begin);
    const stuck = ["insecure", "unsupported"].includes(trouble);
    const notice = trouble ? node("div", { class: "notice", "data-first": true, id: "trouble", "data-trouble": trouble }, node("h2", {}, say(`${trouble}.title`)), node("p", {}, say(trouble))) : null;
    show("ready", [
      node("h1", {}, say("ready.title")), node("p", { class: "lead" }, say("ready.about")), notice,
      node("section", { class: "sheet speak", hidden: stuck }, start, node("p", { class: "small" }, say("limit", { n: settings.longest_s }), " ", say("ready.after")),
        node("div", { class: "devices" }), node("div", { class: "check" }, act("check", check, { light: true, pressed: "m" }))),
      others(), node("p", { class: "small" }, say("ready.names")),
    ], { alone: true, keys: { ...(!stuck && { r: begin, m: check }), ...keys() }, leave: () => { if (!recording) shut(); } });
    if (line) announce(line);
    if (!stuck) choice();
  }

  // From the press until sound is kept; then the state in which one speaks.
  const begin = () => once(async () => {
    try {
      await opened();
      recording = await record(microphone, { kept: (blob) => sound.write(blob, told()), ended });
    } catch (problem) { return ready(troubled(problem)); }
    speak();
  });

  const told = () => ({ ...microphone.settings(), type: recording?.type, seconds: recording && Number(recording.seconds().toFixed(3)), source: "microphone" });

  function speak() {
    const mine = recording; // which ends before the last frame is drawn
    const line = node("canvas", { class: "outline", "aria-hidden": "true" }), time = node("p", { class: "time" }), hint = node("p", { class: "small", role: "status" });
    let loudest = -100, warned = false, drawn = 0, peak = -100;
    const levels = [];
    const halt = () => mine.stop();
    function pass() {
      const at = mine.seconds(), most = settings.longest_s;
      time.textContent = say("recording.time", { at: clock(at), most: clock(most) });
      const quiet = at > HINT && loudest < QUIET ? say("recording.quiet") : "";
      if (hint.textContent !== quiet) hint.textContent = quiet;
      if (!warned && most > 20 && most - at < 10) { warned = true; announce(say("recording.left", { n: 10 })); }
      if (at >= most) { mine.full = true; halt(); }
    }
    const heard = (level) => {
      loudest = Math.max(loudest, level);
      peak = Math.max(peak, level);
      const at = mine.seconds();
      if (at - drawn < 0.06) return;
      drawn = at;
      levels.push(sized(peak));
      peak = -100;
      if (!still()) draw(line, levels.slice(-bars(line)), 1);
    };
    const stop = node("button", { type: "button", class: "round on", id: "stop", "aria-keyshortcuts": "r" }, node("span", { class: "disc", "aria-hidden": "true" }), node("span", {}, say("stop"), " ", node("kbd", { "aria-hidden": "true" }, "R")));
    stop.addEventListener("click", halt);
    const discard = () => { mine.discarded = true; halt(); };
    show("recording", [
      node("h1", {}, say("recording.title")),
      node("section", { class: "sheet speak" }, time, line, stop, hint, meter(heard)),
      node("div", { class: "acts others" }, act("cancel", discard, { light: true })),
    ], { alone: true, keys: { r: halt }, leave: () => clearInterval(passing) });
    const passing = setInterval(pass, 200); // also where nobody looks at the page, when no frame is drawn
    pass();
    stop.focus({ preventScroll: true }); // so that Enter and space end it
  }

  async function ended({ blob, gone, seconds }) {
    const { discarded, full } = recording, facts = { ...told(), seconds: Number(seconds.toFixed(3)) };
    recording = null;
    shut();
    if (discarded) { forget(); return ready("", say("cancelled")); }
    if (!blob.size) return ready(gone ? "gone" : "empty");
    return took(blob, facts, gone ? say("listen.gone") : full ? say("listen.limit") : "");
  }

  // A new recording takes the place of the one before.
  async function took(blob, facts, line = "") {
    tab.drop("recording");
    await sound.write(blob, facts);
    listenBack({ blob, told: facts, line });
  }

  // Hear it back. It goes to the server at once, which says whether it can be heard; the models get it when it is sent.
  function listenBack({ blob = null, told: facts = {}, line = "", heard = null }) {
    const canvas = node("canvas", { class: "outline", "aria-hidden": "true" });
    const audio = node("audio", { controls: true, preload: "auto", "aria-label": say("listen.mine") });
    const notes = node("div", { class: "notes", role: "status" }), uploaded = facts.source === "upload";
    const note = (text, id) => notes.append(node("p", { class: "notice", id }, text));
    if (line) note(line, "kept");
    const address = blob && URL.createObjectURL(blob);
    audio.src = heard ? heard.href : address;
    audio.addEventListener("error", () => { audio.hidden = true; if (!heard && !about.hidden) note(say("listen.unplayable"), "unplayable"); }, { once: true });

    function checked(found) {
      heard = found;
      tab.write("recording", found);
      if (found.silent) note(say("listen.silent"), "silent");
      if (found.clipped) note(say("listen.clipped"), "clipped");
      length.textContent = say("listen.seconds", { n: Math.floor(found.duration_s * 10) / 10 });
      if (!found.silent && !found.clipped) announce(length.textContent);
      if (audio.hidden || (audio.paused && !audio.currentTime)) { audio.hidden = false; audio.src = found.href; } // which can be sought in
    }

    let checking = null;
    const check = () => (checking ||= attempt(async () => {
      length.textContent = say("listen.checking");
      try {
        if (settings.largest_bytes && blob.size > settings.largest_bytes) throw new Problem(say("listen.large", { n: settings.largest_bytes / 1e6 }), 413);
        checked(await ask("recording", blob, { "x-audiometry-heard": JSON.stringify(facts) }));
        sound.drop();
      } catch (problem) {
        length.textContent = "";
        if (![400, 413].includes(problem.status)) throw problem;
        sound.drop();
        notes.replaceChildren();
        note(say("listen.refused", { why: why(problem) }), "refused");
        sending.hidden = about.hidden = true;
      }
    }, refused).finally(() => { checking = null; }));

    const again = () => { forget(); if (uploaded) ready(); else begin(); };
    const send = () => (heard ? once(async () => {
      const battle = await ask("battle", { recording: heard.recording });
      forget();
      began(battle);
    }, refused) : check().then(() => heard && send()));
    const sending = act("send", send, { main: true, pressed: "s" });
    const toggle = () => { if (audio.paused) audio.play().catch(() => {}); else audio.pause(); };
    const length = node("p", { class: "small", id: "length" });
    const about = node("p", { class: "lead" }, say("listen.about"));
    show("listen", [
      node("h1", {}, say("listen.title")), about,
      node("section", { class: "sheet speak" }, canvas, audio, length, notes, problems(), node("div", { class: "acts" }, sending, uploaded ? act("other", upload, { pressed: "u" }) : act("redo", again, { pressed: "r" }))),
      others(uploaded ? "upload" : ""),
    ], { alone: true, keys: { s: send, r: again, p: toggle, ...keys() }, leave: () => { audio.pause(); if (address) URL.revokeObjectURL(address); } });
    follow(canvas, audio, async () => (blob ? blob.arrayBuffer() : (await fetch(heard.href)).arrayBuffer()));
    if (heard) checked(heard); else check();
  }

  function typed() {
    const area = node("textarea", { id: "question", rows: "3", maxlength: String(LONGEST), dir: "auto" });
    area.value = tab.read("typed") || "";
    area.addEventListener("input", () => { tab.write("typed", area.value); complain(""); });
    const send = () => {
      if (!area.value.trim()) { area.focus(); return complain(say("typed.missing")); }
      return once(async () => {
        const battle = await ask("battle", { text: area.value.trim() });
        forget();
        began(battle);
      }, refused);
    };
    const { u } = keys();
    show("typed", [
      node("h1", {}, say("typed.title")), node("p", { class: "lead" }, say("ready.about")),
      node("section", { class: "sheet" }, node("label", { class: "visually-hidden", for: "question" }, say("typed.label")), area, problems(), node("div", { class: "acts" }, act("send", send, { main: true, pressed: "s" }))),
      others("typed"), node("p", { class: "small" }, say("ready.names")),
    ], { alone: true, keys: { s: send, Enter: send, r: () => ready(), ...(u && { u }) } });
    area.focus({ preventScroll: true });
  }

  // Where a reload finds it again: what was recorded and not sent, what was half written, or the beginning.
  async function resume() {
    const heard = tab.read("recording"), left = heard ? null : await sound.read();
    if (heard) return listenBack({ heard });
    if (left?.blob?.size) return listenBack({ blob: left.blob, told: left.told, line: say("listen.kept") });
    return tab.read("typed") ? typed() : ready();
  }

  return { resume, ready };
}
