// The page of an arena: finds where one is, and leads from a question to a vote and on to the next.

import { ask, Problem } from "/file/ask.js";
import { battling } from "/file/battle.js";
import { data } from "/file/data.js";
import { sound, tab } from "/file/kept.js";
import { button, dialog, key, node } from "/file/parts.js";
import { speaking } from "/file/speak.js";
import { act, complain, keysNow, listen, once, show, single, why } from "/file/stage.js";
import { learn, say } from "/file/words.js";

const now = { settings: null, progress: null, speak: null, open: null };
const NAMED = { r: "record", m: "check", u: "upload", t: "type", s: "send", p: "play", n: "next", w: "reveal", c: "keys.comment" };
const HERE = { recording: { r: "stop" }, listen: { r: "redo" }, typed: { r: "speak" }, failed: { r: "failed.again", n: "failed.new" } }; // where a key does something else
const VOTES = { a: "model_a", b: "model_b", t: "tie", x: "both_bad", s: "skip" };

function help() {
  const state = document.querySelector("main").dataset.state, votes = ["replies", "voted"].includes(state);
  const name = (one) => (votes && VOTES[one] ? `outcome.${VOTES[one]}` : HERE[state]?.[one] || NAMED[one]);
  const rows = [...Object.keys(keysNow()).filter((one) => name(one)).map((one) => [one, say(name(one))]), ["?", say("keys.help")]];
  const box = node("input", { type: "checkbox", id: "single" });
  box.checked = single.on;
  box.addEventListener("change", () => single.put(box.checked));
  dialog(say("keys.title"), say("close"), "?", node("label", { class: "choice", for: "single" }, box, node("span", { class: "text" }, say("keys.on"))),
    node("dl", {}, ...rows.flatMap(([one, what]) => [node("dt", {}, key(one)), node("dd", {}, what)])), node("p", { class: "small" }, say("keys.about")));
}

// The bar; before the server has said anything it has a name alone.
function head() {
  const { progress } = now, settings = now.settings || { board: false }, unknown = !now.settings;
  document.title = settings.title || say("arena");
  document.querySelector(".skip").textContent = say("skip");
  document.querySelector(".bar").replaceChildren(
    node("p", { class: "brand" }, node("img", { src: "/file/icon.svg", alt: "" }), node("span", {}, settings.title || say("arena"))),
    node("nav", { class: "acts" },
      progress || settings.board === false ? null : node("a", { class: "button light", href: "/board" }, say("board")),
      progress ? node("a", { class: "button light", href: "/study#leave", id: "leave" }, say("study.stop")) : unknown ? null : button(say("data"), () => data(start), { light: true, id: "data" }),
      settings.shortcuts ? button(say("keys"), help, { light: true, pressed: "?", id: "keys" }) : null));
}

function consent({ version, text }) {
  const agree = () => once(async () => { await ask("consent", { version }); await look(); }, start);
  const refuse = () => show("refused", [node("h1", {}, say("consent.no.title")), node("p", { class: "lead" }, say("consent.no")), node("div", { class: "acts" }, act("consent.back", () => consent({ version, text })))], { alone: true });
  show("consent", [
    node("h1", {}, say("consent.title")),
    node("section", { class: "sheet terms", dir: "auto" }, ...text.split(/\n\s*\n/).map((part) => node("p", {}, part.trim()))),
    node("div", { class: "acts" }, act("consent.agree", agree, { main: true }), act("consent.refuse", refuse)),
  ], { alone: true });
}

// What the server says of where one is. A battle that one has gone on from is not shown again.
async function look(line = "") {
  const found = await ask("state", {}), { settings } = found;
  const battle = found.battle?.state === "revealed" ? await ask("reveal", { battle: found.battle.battle }) : found.battle; // who they were is told there alone
  const first = now.settings === null;
  Object.assign(now, { settings, progress: found.progress });
  if (first) await learn(settings.languages);
  single.allow(settings.shortcuts);
  head();
  now.speak = speaking({ settings, began: (one) => now.open(one), refused });
  now.open = battling({ settings, progress: found.progress, next, refused });
  if (settings.consent) consent(settings.consent);
  else if (battle && battle.state !== "abandoned" && battle.battle !== tab.read("left")) now.open(battle);
  else await now.speak.resume();
  if (line) complain(line);
}

// On to the next question; in a study, after the last, to what comes then.
const next = async (battle) => {
  tab.write("left", battle.battle);
  if (now.progress) {
    await look();
    if (now.progress.done >= now.progress.wanted) location.assign("/");
  } else now.speak.ready();
};

const refused = async (problem) => {
  try { await look(problem.message || (problem.status === 409 ? say("closed") : "")); } catch (other) { complain(why(other), start); }
};

async function start() {
  try {
    await learn();
    head();
    await look();
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    show("away", [node("h1", {}, say("start.title")), node("p", { class: "lead" }, why(problem)), node("div", { class: "acts" }, button(say("again"), start, { main: true, id: "again" }))], { alone: true });
  }
}

addEventListener("pageshow", (event) => { if (event.persisted) start(); });
listen({ "?": help });
sound.tidy();
await start();
document.documentElement.dataset.ready = "";
