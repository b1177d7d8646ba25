// The pages of a study: one step after the other, as the server says; what is shown is what is kept there.

import { ask, Problem } from "/study/file/ask.js";
import { button, dialog, node } from "/study/file/parts.js";
import { words } from "/study/file/words.js";

const main = document.querySelector("main");
let busy = false;

const paragraphs = (text) => text.trim().split(/\n\s*\n/).map((one) => node("p", {}, one.replace(/\s*\n\s*/g, " ")));

function page(title, ...inside) {
  const heading = node("h1", { tabindex: "-1" }, title);
  main.replaceChildren(node("section", { class: "alone sheet" }, heading, ...inside, node("div", { id: "problem", role: "alert" })));
  document.title = [title, document.querySelector("#title").textContent].filter(Boolean).join(" · ");
  heading.focus();
  scrollTo(0, 0);
}

function complain(line, again) {
  const box = document.querySelector("#problem");
  box?.replaceChildren(...(line ? [node("p", { class: "notice" }, line, ...(again ? [" ", button(words.again, again, { light: true })] : []))] : []));
  if (line) box?.scrollIntoView({ block: "nearest" });
}

// One request at a time: a second press while it is under way is none.
async function go(name, body = {}) {
  if (busy) return;
  busy = true;
  main.querySelectorAll("button").forEach((one) => { one.disabled = true; });
  try {
    show(await ask(`study/${name}`, body));
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    if (problem.status === 401) return nobody();
    main.querySelectorAll("button").forEach((one) => { one.disabled = false; });
    if (!document.querySelector("#problem")) page(words.study);
    complain(problem.message || words.unreachable, problem.status === 400 ? null : () => go(name, body));
  } finally {
    busy = false;
  }
}

function nobody() {
  document.querySelector("#title").textContent ||= words.study;
  page(words.none.title, node("p", {}, words.none[location.hash.slice(1)] || words.none.nobody));
}

// A question with its options, and what is chosen.
function asked({ name, question, options }) {
  return node("fieldset", { class: "field" }, node("legend", {}, ...paragraphs(question)), node("div", { class: "choices" },
    ...options.map((one) => node("label", { class: "choice" }, node("input", { type: "radio", name, value: one }), node("span", { class: "text" }, one)))));
}

function form(questions, { needed, send, also = null }) {
  const made = node("form", { class: "listed", novalidate: true }, ...questions.map(asked), node("div", { class: "acts" }, node("button", { class: "button main" }, words.next), also));
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = Object.fromEntries(new FormData(made));
    const missing = needed && questions.find((one) => !(one.name in chosen));
    if (!missing) return send(chosen);
    complain(questions.length > 1 ? words.chooseAll : words.choose);
    [...made.elements].find((one) => one.name === missing.name).focus();
  });
  return made;
}

// A page on which one may stop.
function onTheWay(...inside) {
  page(...inside);
  main.firstChild.append(node("p", { class: "small stop" }, node("a", { href: "#leave" }, words.stop)));
}

const steps = {
  consent({ consent, minutes }) {
    const { parts } = words.consent;
    const say = (agreed) => () => go("consent", { version: consent.version, agreed });
    page(words.consent.title, node("p", { class: "small" }, words.consent.about(minutes)), ...paragraphs(consent.text),
      ...Object.keys(parts).flatMap((one) => [node("h2", {}, parts[one]), ...paragraphs(consent[one])]),
      node("div", { class: "acts" }, button(words.consent.yes, say(true), { main: true, id: "agree" }), button(words.consent.no, say(false), { id: "refuse" })));
  },
  screening({ questions }) {
    onTheWay(words.screening.title, node("p", {}, words.screening.about), form(questions, { needed: true, send: (answers) => go("screening", { answers }) }));
  },
  demographics({ questions }) {
    const none = button(words.demographics.none, () => go("demographics", { answers: {} }), { id: "none" });
    onTheWay(words.demographics.title, node("p", {}, words.demographics.about), form(questions, { needed: false, send: (answers) => go("demographics", { answers }), also: none }));
  },
  instructions({ instructions, hold_minutes: minutes }) {
    onTheWay(words.instructions.title, ...paragraphs(instructions), node("p", { class: "notice" }, words.instructions.names), node("p", { class: "small" }, words.instructions.hold(minutes)),
      node("div", { class: "acts" }, button(words.instructions.begin, () => go("instructions"), { main: true, id: "begin" })));
  },
  check({ questions, check }) {
    onTheWay(words.check.title, form(questions, { needed: true, send: (chosen) => go("check", { check, chosen: chosen.check }) }));
  },
  work() {
    location.replace("/");
  },
};

function leave() {
  const what = node("textarea", { id: "what", maxlength: "2000", rows: "3" });
  const withdraw = button(words.leave.withdrawDo, sure, { id: "withdraw" });
  const on = button(words.leave.on, () => { history.replaceState(null, "", "/study"); go("step"); }, { main: true, id: "on" });
  page(words.leave.title, node("div", { class: "acts" }, on),
    node("h2", {}, words.leave.troubleTitle), node("p", {}, words.leave.trouble), node("label", { for: "what" }, words.leave.what), what,
    node("div", { class: "acts" }, button(words.leave.troubleDo, () => go("trouble", { what: what.value }), { id: "trouble" })),
    node("h2", {}, words.leave.withdrawTitle), node("p", {}, words.leave.withdraw), node("div", { class: "acts" }, withdraw));
}

function sure() {
  const made = dialog(words.sure.title, words.sure.no, "", node("p", {}, words.sure.about), node("div", { class: "acts" }, button(words.sure.yes, () => { made.close(); go("withdraw"); }, { main: true, id: "sure" })));
}

function code(given, to) {
  const copy = button(words.copy, async () => {
    try { await navigator.clipboard.writeText(given); copy.textContent = words.copied; } catch { getSelection().selectAllChildren(shown); }
  }, { light: true, id: "copy" });
  const shown = node("strong", { class: "code", id: "code" }, given);
  return [node("p", { class: "coded" }, node("span", { class: "small" }, words.code), shown, copy), to ? node("div", { class: "acts" }, node("a", { class: "button main", href: to, rel: "noreferrer" }, words.back)) : null];
}

function exit({ step, code: given, return_to: to, withdrawn, consent }) {
  const said = words.exits[step];
  const back = step === "complete" && !withdrawn
    ? node("details", {}, node("summary", {}, words.takeBack), ...paragraphs(consent.withdraw), node("div", { class: "acts" }, button(words.leave.withdrawDo, sure, { id: "withdraw" })))
    : null;
  page(said.title, node("p", {}, said.about), ...(given ? code(given, to) : [node("p", {}, words.noCode)]), withdrawn && step === "complete" ? node("p", {}, words.tookBack) : null, back);
}

function show(given) {
  document.querySelector("#title").textContent = given.title;
  document.documentElement.dataset.step = given.step;
  if (given.step in words.exits) return exit(given);
  if (location.hash === "#leave") return leave();
  steps[given.step](given);
}

document.documentElement.lang = words.language;
addEventListener("hashchange", () => go("step"));
addEventListener("pageshow", (event) => { if (event.persisted) go("step"); });
go("step");
