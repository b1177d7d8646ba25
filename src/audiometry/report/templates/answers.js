// Open answers: scores, the reference beside them, and every verdict as it was said.

const shown = (score) => String(Math.round(score * 100) / 100);
const outcomeOf = (reply) => (reply.score === undefined || reply.reference === undefined ? "" : reply.score > reply.reference ? "win" : reply.score < reply.reference ? "loss" : "tie");

function scoreMark(reply) {
  if (reply.score === undefined) return reply.judged ? make("span", { class: "verdict unanswered" }, "no verdict") : null;
  const mark = make("span", { class: `score ${outcomeOf(reply)}`, title: "mean of both orders" }, shown(reply.score));
  if (reply.reference !== undefined) mark.append(make("span", { class: "of" }, `against ${shown(reply.reference)}`));
  return mark;
}

const errorsIn = ({ edits: [substituted, deleted, inserted] }) => substituted + deleted + inserted;

function errorMark(reply) {
  if (!reply.edits) return null;
  const [substituted, deleted, inserted, reference, unit] = reply.edits, n = errorsIn(reply);
  const title = `${substituted} substituted, ${deleted} missing, ${inserted} added, of ${reference.toLocaleString("en")} ${unit}${reference === 1 ? "" : "s"} in the reference`;
  return make("span", { class: `score ${n ? "" : "win"}`, title }, `${n.toLocaleString("en")} error${n === 1 ? "" : "s"}`, make("span", { class: "of" }, `in ${reference.toLocaleString("en")}`));
}

// A reply beside its reference, with every error in place: what is missing struck, what was added underlined behind a
// caret, what stands for something else behind that; in the words as they are counted.
function errorsInPlace(reply) {
  if (!reply.edits || !errorsIn(reply)) return null;
  const [, , , , unit] = reply.edits;
  if (!reply.marks) return make("p", { class: "small" }, "Too long to show its errors in place.");
  const hidden = (text) => make("span", { class: "visually-hidden" }, text);
  const line = make("p", { class: "in-place", dir: "auto" });
  for (const [due, said] of reply.marks) {
    if (said === undefined) line.append(due);
    else line.append(make("span", { class: `edit ${!said ? "missing" : !due ? "added" : "other"}` }, due && make("del", {}, hidden(said ? " for " : " missing "), due), said && make("ins", {}, hidden(due ? " said " : " added "), said)));
    if (unit === "word") line.append(" ");
  }
  const kinds = [["missing", make("del", {}, "missing")], ["added", make("ins", {}, "added")], ["other", make("del", {}, "due"), make("ins", {}, "said")]];
  const signs = kinds.filter(([kind]) => line.querySelector(`.edit.${kind}`)).flatMap(([kind, ...words], i) => [i ? ", " : "", make("span", { class: `edit ${kind}` }, ...words)]);
  const key = make("p", { class: "small" }, "Its errors in place: ", ...signs, ".");
  return make("div", { class: "errors" }, line, key);
}

// Which replies can be filtered for by their score: as in the address, in words, and whether a reply is one.
const between = (low, high) => [`${low}-${high}`, `${low} to ${high}`, ({ score }) => score !== undefined && score >= low && (score < high || high === 10)];
const SCORES = [
  ["win", "above the reference", (reply) => outcomeOf(reply) === "win"],
  ["tie", "as the reference", (reply) => outcomeOf(reply) === "tie"],
  ["loss", "below the reference", (reply) => outcomeOf(reply) === "loss"],
  ...[[1, 3], [3, 5], [5, 7], [7, 9], [9, 10]].map(([low, high]) => between(low, high)),
  ["apart", "orders differ by 2 or more", (reply) => Boolean(reply.apart)],
  ["none", "no verdict", (reply) => Boolean(reply.judged) && reply.score === undefined],
  ["exact", "no errors", (reply) => Boolean(reply.edits) && errorsIn(reply) === 0],
  ["errors", "with errors", (reply) => Boolean(reply.edits) && errorsIn(reply) > 0],
];

function rawAnswer(text, name) {
  if (text === undefined) return null;
  return text.trim() === "" ? make("p", { class: "none" }, "an empty answer") : make("pre", { dir: "auto", ...(text.length > 300 ? { role: "group", tabindex: "0", "aria-label": name } : {}) }, text);
}

function verdictTable(reply, names) {
  const all = reply.verdicts || [];
  if (!all.length) return null;
  const several = names.judges.length > 1;
  const heading = (name) => make("th", { scope: "col", role: "columnheader" }, name);
  const head = make("tr", { role: "row" }, several ? heading("judge") : null, heading("order"), heading("said"), heading("reply"), heading("reference"));
  const body = make("tbody", { role: "rowgroup" });
  for (const verdict of all) {
    const said = make("td", { class: "raw", role: "cell" });
    if (verdict.said === undefined && verdict.again === undefined) said.append(make("span", { class: "none" }, "no answer came"));
    for (const part of [rawAnswer(verdict.said, "Verdict as received"), verdict.again === undefined ? null : make("span", { class: "why" }, "asked once more:"), rawAnswer(verdict.again, "Second verdict as received")]) {
      if (part) said.append(part);
    }
    if (verdict.left_out) said.append(make("span", { class: "why" }, `${verdict.left_out.toLocaleString("en")} more characters are in the run folder's judge/.`));
    if (verdict.mine === undefined) said.append(make("span", { class: "why" }, "not read, because ", make("code", {}, verdict.how || "")));
    const first = verdict.order ? "reply first" : "reference first";
    const judge = several ? make("bdi", {}, names.judges[verdict.judge || 0]) : null;
    const number = (name, score, main) => make("td", { class: `num${main}`, role: "cell", "data-label": name }, score === undefined ? "–" : shown(score));
    body.append(make("tr", { role: "row" },
      make("th", { scope: "row", role: "rowheader" }, several ? judge : first), several ? make("td", { class: "order", role: "cell" }, first) : null,
      said, number("reply", verdict.mine, " main"), number("reference", verdict.other, "")));
  }
  return make("table", { class: "verdicts", role: "table" }, make("caption", { class: "visually-hidden" }, "Verdicts as received, and what was read"), make("thead", { role: "rowgroup" }, head), body);
}

function referenceBox(item) {
  const box = make("div", { class: "reference" }, make("p", { class: "head" }, make("span", { class: "muted" }, { label: "Right label", transcript: "Reference" }[item.kind] || "Reference answer")));
  box.append(item.answer ? make("p", { class: "words", dir: "auto" }, item.answer) : make("p", { class: "none" }, "none: nothing to compare with"));
  return box;
}

function descriptionBox(item) {
  if (!item.meta) return make("p", { class: "none" }, "The benchmark says nothing of what is to be heard.");
  return make("details", { class: "heard" }, make("summary", {}, "What the judge was told of the audio"), make("pre", { dir: "auto", role: "group", tabindex: "0", "aria-label": "Description of the audio" }, item.meta));
}
