// The stage: one state of the page at a time, its heading in focus, its keys, what went wrong, what is said quietly.

import { Problem } from "/file/ask.js";
import { browser } from "/file/kept.js";
import { shortcuts } from "/file/keys.js";
import { button, node } from "/file/parts.js";
import { say } from "/file/words.js";

const DEAF = 350; // ms after a state appears in which no key answers it: who presses twice means the one before
const PATIENCE = 800; // ms until it is said that something is being sent
export const main = document.querySelector("main");
const told = document.querySelector("#said");
const now = { keys: {}, since: 0, busy: false, leave: () => {}, allowed: true };

export const announce = (line) => { told.textContent = line; };

// Where it stands what went wrong; a state that has no place for it gets one at its end.
export const problems = () => node("div", { id: "problem", role: "alert" });

// Show a state: `keys` are its shortcuts, `leave` is called when the next one comes. The first of a page takes no focus.
export function show(state, inside, { keys = {}, leave = () => {}, alone = false } = {}) {
  const first = !main.dataset.state;
  now.leave();
  Object.assign(now, { keys, leave, since: performance.now() });
  told.textContent = ""; // what was said of the state before is over
  main.dataset.state = state;
  const stage = node("div", { class: `stage${alone ? " narrow" : ""}` }, ...inside);
  main.replaceChildren(stage);
  if (!main.querySelector("#problem")) stage.append(problems());
  const title = main.querySelector("[data-first]") || main.querySelector("h1");
  title.tabIndex = -1;
  if (first || document.querySelector("dialog[open]")) return;
  title.focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

export const more = (keys) => { now.keys = { ...now.keys, ...keys }; };
export const keysNow = () => now.keys;

// Shortcuts of single keys: a study may have none, and everybody can switch them off.
export const single = {
  allow(yes) { now.allowed = yes; this.mark(); },
  get allowed() { return now.allowed; },
  get on() { return now.allowed && browser.read("keys") !== "off"; },
  put(on) { browser.write("keys", on ? "on" : "off"); this.mark(); },
  mark() { document.documentElement.dataset.keys = this.on ? "on" : "off"; },
};

// A button of which the word stands in the help too.
export const act = (name, does, options = {}) => button(say(name), does, { id: name.replace(".", "-"), ...options });

export function complain(line, again = null) {
  const box = document.querySelector("#problem");
  box?.replaceChildren(...(line ? [node("p", { class: "notice" }, line, " ", again ? button(say("again"), again, { light: true, id: "again" }) : null)] : []));
  if (line) box?.scrollIntoView({ block: "nearest" });
}

// What went wrong, in words; `status` 0 means that the server was not reached.
export function why(problem) {
  if (problem.status === 429) return say("limited", { n: problem.after || 10 });
  return problem.message || say(problem.status ? "wrong" : "away");
}

// What fails can be tried again; what the server refuses for good (401, 403, 404, 409) is `refused`, or else a line.
export async function attempt(work, refused = null) {
  complain("");
  const slow = setTimeout(() => announce(say("sending")), PATIENCE);
  let left = null;
  try {
    await work();
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    if (refused && [401, 403, 404, 409].includes(problem.status)) left = () => refused(problem);
    else complain(why(problem), [400, 413].includes(problem.status) ? null : () => attempt(work, refused));
  } finally {
    clearTimeout(slow);
  }
  if (left) await left();
}

// One thing at a time: a second press while the first is under way is none.
export async function once(work, refused = null) {
  if (now.busy) return;
  now.busy = true;
  try { await attempt(work, refused); } finally { now.busy = false; }
}

// `always` are the keys of every state.
export function listen(always = {}) {
  shortcuts((pressed) => {
    if (pressed === "Enter") return document.activeElement.matches("textarea") ? now.keys.Enter : null;
    const does = single.on ? now.keys[pressed] || always[pressed] : null;
    return does && performance.now() - now.since < DEAF ? () => {} : does;
  });
}
