// The page of a review: one unit after the other, with its clip; nothing of what a rater says is lost on the way.

import { ask, Problem } from "/file/ask.js";
import { drawn } from "/file/form.js";
import { shortcuts } from "/file/keys.js";
import { button, dialog, key, node } from "/file/parts.js";
import { words } from "/file/words.js";

const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 2];
const DEAF = 350; // ms after a unit appears in which no key answers it: who presses twice means the one before
const bar = document.querySelector(".bar"), main = document.querySelector("main"), told = document.querySelector("#said");
const now = { put: null, form: null, players: [], heard: "", since: 0, busy: false, speed: 1, last: null, open: false, begun: "" };
const PLAYERS = ["+", "=", "-", "[", "]", "<", ">", "Escape"]; // keys of the player
const RANGE = /^\[(\d+(?:\.\d+)?), (\d+(?:\.\d+)?)\]$/; // an option that is a range of time, in seconds

// What one says is kept in this browser until the server has it.
const drafts = {
  name: () => `audiometry-review ${now.put.of} ${now.put.mode} ${now.put.rater} ${now.put.unit}`,
  read() { try { return JSON.parse(localStorage.getItem(this.name())); } catch { return null; } },
  write(said) { try { localStorage.setItem(this.name(), JSON.stringify(said)); } catch { /* full, or not allowed */ } },
  drop() { try { localStorage.removeItem(this.name()); } catch { /* not allowed */ } },
};

// Whether clips begin by themselves is remembered in this browser.
const AUTOPLAY = "audiometry-autoplay";
const autoplays = () => { try { return localStorage.getItem(AUTOPLAY) === "1"; } catch { return false; } };
function autoplay() {
  try { if (autoplays()) localStorage.removeItem(AUTOPLAY); else localStorage.setItem(AUTOPLAY, "1"); } catch { /* not allowed */ }
  document.querySelector("#autoplay").setAttribute("aria-pressed", String(autoplays()));
}

function head() {
  const { put } = now;
  document.title = `${words.title} · ${put.of}`;
  const { done, of } = put.study || { done: put.progress.mine, of: put.progress.mine + put.progress.left };
  const far = node("progress", { max: String(Math.max(1, of)), value: String(Math.min(done, of)), "aria-label": words.far });
  bar.replaceChildren(
    node("p", { class: "brand" }, node("img", { src: "/file/icon.svg", alt: "" }), node("span", { title: `${put.title} ${put.of}` }, put.title, " ", node("bdi", { class: "of" }, put.of))),
    put.study
      ? node("p", { class: "me" }, node("a", { href: "/study#leave", id: "stop" }, words.stop))
      : node("p", { class: "me" }, node("bdi", { class: "small", title: put.rater }, put.rater), now.open ? button(words.other, () => enter(true), { light: true, id: "other" }) : null),
    node("div", { class: "acts" }, button(words.undo, undo, { light: true, pressed: "u", id: "undo" }), button(words.mine, mine, { light: true, pressed: ",", id: "mine" }), button(words.help, help, { light: true, pressed: "?" })),
    node("p", { class: "far" }, far, node("span", { id: "far" }, put.study ? words.inStudy(put.study) : words.progress(put.progress))),
  );
  for (const one of ["#undo", "#mine"]) document.querySelector(one).disabled = !put.progress.mine;
}

function help() {
  dialog(words.help, words.close, "?", node("dl", {}, ...[...Object.entries(words.keys), ...now.form.keys().map((one) => [one.key.toUpperCase(), node("bdi", {}, one.text.slice(0, 80))])]
    .flatMap(([one, what]) => [node("dt", {}, node("kbd", {}, one)), node("dd", {}, what)])));
}

// One's own answers, the last first; each can be opened again and changed.
async function mine() {
  let answers;
  try { ({ answers } = await ask("mine", {})); } catch (problem) { return complain(problem.message || words.unreachable, mine); }
  const list = node("ol", { class: "own" });
  const more = button(words.more100, () => add(), { light: true });
  const open = (one) => { made.close(); go("open", { unit: one.unit }); };
  let n = 0;
  function add() {
    const first = n;
    for (const one of answers.slice(n, n + 100)) {
      const row = node("button", { type: "button" }, node("bdi", { class: "text" }, one.title), ...one.said.map((said) => node("bdi", { class: "what" }, said)));
      row.addEventListener("click", () => open(one));
      list.append(node("li", {}, row));
      n += 1;
    }
    more.hidden = n >= answers.length;
    if (first) list.children[first].firstChild.focus();
  }
  const made = dialog(words.mine, words.close, ",", node("p", { class: "small" }, answers.length ? words.mineWhy : words.mineNone), list, more);
  made.classList.add("wide");
  add();
  list.querySelector("button")?.focus();
  list.addEventListener("keydown", (event) => {
    const at = event.target.closest("li"), next = { ArrowDown: at?.nextSibling, ArrowUp: at?.previousSibling }[event.key];
    if (next) { event.preventDefault(); next.firstChild.focus(); }
  });
}

// A sign that somebody works on what is before them: then it is theirs for half an hour, else for minutes.
function begun() {
  if (now.begun === now.put.unit || now.put.kept) return;
  now.begun = now.put.unit;
  ask("begin", { unit: now.put.unit }).catch(() => {});
}

addEventListener("pagehide", () => {
  if (now.put?.unit && !now.put.kept && !drafts.read()) navigator.sendBeacon("/leave", new Blob([JSON.stringify({ visit: now.put.visit })], { type: "application/json" }));
});
addEventListener("pageshow", (event) => { if (event.persisted && now.put) go("next", {}); });

// Options that are ranges of time, to be played.
function spans({ shown, fields }) {
  const { options } = shown.find((part) => part.options) || fields.find((field) => field.options) || { options: [] };
  const found = options.filter((one) => one.foreign).map(({ text, mark, key: pressed, right }) => {
    const range = text.match(RANGE), called = mark || pressed?.toUpperCase();
    return range && called && { from: Number(range[1]), to: Number(range[2]), mark: called, name: words.range(called), right };
  });
  return found.every(Boolean) ? found : [];
}

// Clips that stay the same from one unit to the next go on playing where they are.
function clips(box) {
  const { put } = now, ranges = put.clips?.length === 1 ? spans(put.form) : [], heard = JSON.stringify([put.clips || [], ranges]);
  if (heard === now.heard && box.hasChildNodes()) return;
  now.players.forEach((one) => one.stop());
  now.players = [];
  now.heard = heard;
  box.replaceChildren();
  (put.clips || []).forEach((clip, n, all) => {
    const label = all.length > 1 ? words.clipOf(n + 1) : words.clip;
    if (!clip.href) return box.append(node("p", { class: "notice" }, words.noClip(clip.problem)));
    if (all.length > 1) box.append(node("h2", { class: "eyebrow" }, label));
    const made = player(box, { href: clip.href, type: clip.type }, { label, spans: ranges });
    made.audio.addEventListener("play", () => { now.players.forEach((one) => one === made || one.audio.pause()); begun(); });
    // Its own buttons let no key out: the focus does not stay there, nor can Tab lead to it.
    made.audio.tabIndex = -1;
    made.audio.addEventListener("focusin", () => made.audio.blur());
    now.players.push(made);
  });
  if (now.players.length) {
    const auto = button(words.autoplay, autoplay, { light: true, id: "autoplay" });
    auto.setAttribute("aria-pressed", String(autoplays()));
    box.append(node("div", { class: "acts" }, button("", faster, { light: true, pressed: "s", id: "speed" }), auto));
    if (autoplays()) now.players[0].audio.play().catch(() => {}); // before anybody has touched the page a browser may refuse
  }
  speed(now.speed);
}

function speed(x) {
  now.speed = x;
  now.players.forEach((one) => { one.audio.defaultPlaybackRate = one.audio.playbackRate = x; });
  if (now.players.length) document.querySelector("#speed").replaceChildren(words.speed(x), key("s"));
}

const faster = () => speed(SPEEDS[(SPEEDS.indexOf(now.speed) + 1) % SPEEDS.length]);

function show(put) {
  if (put.study?.away) return location.assign("/study");
  now.put = put;
  head();
  if (!put.unit) return done();
  let stage = main.querySelector(".unit");
  if (!stage) {
    stage = node("div", { class: "unit" }, node("section", { class: "hear" }), node("section", { class: "judge sheet" }));
    main.replaceChildren(stage);
  }
  const [hear, judge] = stage.children;
  hear.hidden = !(put.clips || []).length;
  stage.classList.toggle("deaf", hear.hidden);
  clips(hear);
  const changed = () => { drafts.write(now.form.all()); complain(""); begun(); };
  now.form = drawn(put.form, { words, changed, send, held: () => complain(words.held) });
  const earlier = drafts.read() || (put.said && now.last?.unit === put.unit ? now.last.all : put.said);
  if (earlier) now.form.fill(earlier);
  if (put.said && !put.kept) drafts.write(earlier);
  if (earlier) begun();
  const acts = node("div", { class: "acts" }, button(words.send, send, { main: true, pressed: "Enter", id: "send" }), button(put.kept ? words.back : words.later, later, { pressed: ".", id: "later" }));
  const about = node("details", { class: "more told", open: !put.progress.mine && !earlier }, node("summary", {}, words.about), ...put.about.map((line) => node("p", { class: "small" }, line)));
  judge.replaceChildren(...(put.kept ? [node("p", { class: "notice", id: "kept" }, words.keptAlready)] : []), about, now.form.shown, now.form.fields, node("div", { id: "problem", role: "alert" }), acts);
  now.since = performance.now();
  const title = judge.querySelector("h1") || main;
  title.focus({ preventScroll: true });
  stage.scrollIntoView(); // on a narrow page past the bar
}

function done() {
  now.players.forEach((one) => one.stop());
  now.heard = "";
  const again = main.querySelector(".alone h1");
  const box = node("section", { class: "alone sheet" }, node("h1", { tabindex: "-1" }, again ? words.still : words.doneTitle), node("p", {}, words.done(now.put.progress)), node("div", { class: "acts" }, button(words.look, () => go("next", {}), { main: true })));
  main.replaceChildren(box);
  box.querySelector("h1").focus();
}

function complain(line, again) {
  const box = document.querySelector("#problem") || main.appendChild(node("div", { id: "problem", role: "alert" }));
  box.replaceChildren(...(line ? [node("p", { class: "notice" }, line, " ", again ? button(words.again, again, { light: true }) : null)] : []));
}

// One request at a time; a second press of a key while it is under way is none.
async function go(name, body, after = () => {}) {
  if (now.busy) return;
  now.busy = true;
  document.querySelectorAll("#send, #later, #undo, #mine").forEach((one) => { one.disabled = true; });
  try {
    const put = await ask(name, body);
    after();
    show(put);
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    if (problem.status === 401) return enter();
    document.querySelectorAll("#send, #later, #undo, #mine").forEach((one) => { one.disabled = false; });
    complain(problem.message || words.unreachable, problem.status === 400 ? null : () => go(name, body, after));
  } finally {
    now.busy = false;
  }
}

function send() {
  const missing = now.form.missing();
  if (missing) return complain(words.missing(missing));
  complain("");
  const { unit } = now.put, all = now.form.all();
  go("answer", { unit, said: now.form.said(), seconds: (performance.now() - now.since) / 1000 }, () => {
    drafts.drop();
    now.last = { unit, all }; // what was written and not sent comes back, if the answer is taken back
    told.textContent = words.kept;
  });
}

function later() {
  if (now.put.kept) { drafts.drop(); return go("next", {}); }
  return go("later", {}, () => { told.textContent = words.putOff; });
}

function undo() {
  go("undo", {}, () => { told.textContent = words.undone; });
}

async function enter(another = false) {
  const { name, open } = await ask("who").catch(() => ({ name: "", open: true }));
  now.open = open;
  if (name && !another) return go("next", {});
  now.players.forEach((one) => one.stop());
  now.heard = "";
  now.put = now.last = null;
  bar.replaceChildren(node("p", { class: "brand" }, node("img", { src: "/file/icon.svg", alt: "" }), words.title));
  const input = node("input", { type: "text", id: "name", maxlength: "60", autocomplete: "name", required: true });
  const form = node("form", {}, node("label", { for: "name" }, words.name), input, node("p", { class: "small" }, words.nameWhy), node("div", { id: "problem", role: "alert" }), node("button", { class: "button main" }, words.begin));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try { await ask("enter", { name: input.value }); go("next", {}); } catch (problem) { complain(problem.message || words.unreachable); }
  });
  main.replaceChildren(node("section", { class: "alone sheet" }, node("h1", {}, words.title), open ? form : node("p", {}, words.noLink)));
  if (open) input.focus();
}

const playing = () => now.players.find((one) => !one.audio.paused) || now.players[0];
const toggle = () => { const { audio } = playing(); if (audio.paused) audio.play().catch(() => {}); else audio.pause(); };
const to = (where) => () => { const { audio } = playing(); audio.currentTime = Math.max(0, Math.min(audio.duration || 0, where(audio))); };
const by = (way) => to((audio) => audio.currentTime + way * Math.min(2, (audio.duration || 0) / 20));

shortcuts((pressed) => {
  if (!now.put?.unit || !now.form) return now.put?.progress.mine ? { u: undo, ",": mine }[pressed] : null;
  const own = now.form.act(pressed);
  if (own) return performance.now() - now.since < DEAF || now.busy ? () => {} : own;
  if (pressed === "Enter") return send;
  if (pressed === "u") return undo;
  if (pressed === ".") return later;
  if (pressed === ",") return now.put.progress.mine ? mine : null;
  if (pressed === "?") return help;
  if (!now.players.length) return null;
  if (PLAYERS.includes(pressed)) return () => playing().act(pressed);
  return { " ": toggle, p: toggle, s: faster, ArrowLeft: by(-1), ArrowRight: by(1), Home: to(() => 0) }[pressed];
});

document.querySelector(".skip").textContent = words.skip;
await enter();
document.documentElement.dataset.ready = "";
