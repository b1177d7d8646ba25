// One item, drawn. Texts from outside only ever become text nodes: nothing here writes markup.

const LONG = 1200; // characters of a reply that are shown without being asked
const HEADING = 300; // characters of a question that stand in the item's row
const SYMBOLS = { correct: "✓", wrong: "✗", unanswered: "?", refused: "⊘", failed: "!", answered: "●", empty: "∅", "not asked": "…", unjudged: "!" };
// Correct and wrong replies are answered.
const isOf = (verdict, wanted) => verdict === wanted || (wanted === "answered" && (verdict === "correct" || verdict === "wrong"));
const letter = (place) => String.fromCharCode(65 + place);
const read = (id) => JSON.parse(document.getElementById(id).textContent);

function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

// A path or an id that may be broken behind its marks, and in no word.
function breakable(text) {
  return text.split(/(?<=[/_:])/).flatMap((part, i) => (i ? [make("wbr"), part] : [part]));
}

function verdictMark(name) {
  return make("span", { class: `verdict ${name.replace(" ", "-")}` }, make("span", { class: "symbol", "aria-hidden": "true" }, SYMBOLS[name] || ""), name);
}

function runKey(run) {
  return document.querySelector(`svg.key[data-series="${run}"]`)?.cloneNode(true) ?? null;
}

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function clipPlayer(entry, label, spans = []) {
  const box = make("div", { class: "clip" });
  if (!entry || entry.problem) {
    box.append(make("p", { class: "none" }, `Nothing to play: ${entry ? entry.problem : "the clip is not in the report"}.`));
  } else {
    const inside = entry.embedded === undefined ? null : document.getElementById(`clip-${entry.embedded}`);
    player(box, { bytes: inside && (() => bytesOf(inside.textContent)), href: entry.href, type: entry.type }, { label, spans });
    if (entry.note) box.append(make("p", { class: "small" }, `Note: ${entry.note}.`));
  }
  if (entry) box.append(make("p", { class: "small path" }, ...breakable(entry.name)));
  return box;
}

function longText(text, left) {
  const whole = make("pre", { dir: "auto", role: "group", tabindex: "0", "aria-label": "Reply as received" }, text);
  const parts = [];
  if (text.length > LONG) {
    // the start and the end: a reply that reasons at length says its answer last
    parts.push(make("pre", { class: "start", dir: "auto", role: "group", tabindex: "0", "aria-label": "Beginning and end of the reply" }, `${text.slice(0, LONG / 3)}\n…\n${text.slice(-LONG / 3)}`));
    parts.push(make("details", {}, make("summary", {}, `All ${text.length.toLocaleString("en")} characters`), whole));
  } else if (text.trim() === "") {
    parts.push(make("p", { class: "none" }, text === "" ? "an empty reply" : "a reply of blanks only"));
  } else {
    for (const name of ["tabindex", "role", "aria-label"]) whole.removeAttribute(name);
    parts.push(whole);
  }
  if (left) parts.push(make("p", { class: "small" }, `${left.toLocaleString("en")} more characters are in the run folder's replies.jsonl.`));
  return parts;
}

function replyFacts(reply) {
  const facts = [];
  if (reply.latency !== undefined) facts.push(`${reply.latency.toFixed(2)} s`);
  if (reply.taken_from) facts.push(`taken over from ${reply.taken_from}`);
  else if (reply.cached) facts.push("from the cache");
  if (reply.attempts > 1) facts.push(`${reply.attempts} attempts`);
  const [tokensIn, tokensOut] = reply.tokens || [null, null];
  if (tokensIn !== null) facts.push(`${tokensIn.toLocaleString("en")} tokens in`);
  if (tokensOut !== null) facts.push(`${tokensOut.toLocaleString("en")} out`);
  if (reply.finish && reply.finish !== "stop" && !reply.blocked) facts.push(`ended by ${reply.finish}`);
  return facts.join(" · ");
}

function replyBox(item, reply, names) {
  const order = reply.order || (item.options || []).map((_, place) => place);
  const chosen = reply.chosen ?? -1;
  const several = names.runs.length > 1;
  const name = names.verdicts[reply.verdict || 0];
  const read = chosen >= 0 ? letter(chosen) : reply.read;
  const reading = item.kind && item.kind !== "label" ? scoreMark(reply) : read
    ? make("span", { class: "muted" }, "read as ", make("bdi", {}, read), " by rule ", make("code", {}, reply.how || ""))
    : reply.blocked ? null : make("span", { class: "muted" }, "not read, because ", make("code", {}, reply.how || ""));
  const head = make("p", { class: "head" }, verdictMark(name));
  if (several) head.append(" ", make("span", { class: "who" }, runKey(reply.run || 0), make("bdi", {}, names.runs[reply.run || 0])));
  if (reading) head.append(" ", reading);
  if (reply.code) head.append(" ", make("span", { class: "muted" }, names.codes[reply.code] || reply.code));
  const facts = replyFacts(reply);
  if (facts) head.append(make("span", { class: "muted" }, facts));
  const box = make("div", { class: "said" }, head);
  if (reply.blocked) box.append(make("p", { class: "none" }, "no reply: the provider blocked the item"));
  else if (reply.text !== undefined) box.append(...longText(reply.text, reply.left_out));
  if (reply.error) box.append(make("p", { class: "error", dir: "auto" }, reply.error));
  if (chosen >= 0 && order[chosen] !== undefined) box.dataset.chosen = String(order[chosen]);
  const marked = errorsInPlace(reply);
  if (marked) box.append(marked);
  const verdicts = verdictTable(reply, names);
  if (verdicts) box.append(verdicts);
  const inPlace = ["noise", "silence"].includes(names.variants[reply.variant || 0]); // which is said beside the sound
  const changes = (reply.changes || []).filter((change) => !(inPlace && change.startsWith("replaced by ")));
  if (changes.length) box.append(make("p", { class: "small" }, `Before sending, the clip was ${changes.join("; ")}.`));
  if (reply.notes) {
    box.append(make("details", { class: "notes", open: reply.notes.length < 400 }, make("summary", {}, reply.blocked ? "What the provider said" : "What the model noted on the way"), make("pre", { dir: "auto", role: "group", tabindex: "0", "aria-label": "Notes" }, reply.blocked ? reply.notes.replace(/^blocked by the provider: /, "") : reply.notes)));
  }
  return box;
}

function optionList(item, order, replies, names) {
  const list = make("ol", { class: "options" });
  order.forEach((own, place) => {
    const right = own === (item.gold ?? -1);
    const by = replies.filter((reply) => (reply.chosen ?? -1) === place);
    const row = make("li", { class: `${right ? "right" : ""}${by.length ? " chosen" : ""}` },
      make("span", { class: "letter" }, letter(place)), make("span", { class: "text", dir: "auto" }, item.options[own]));
    const tags = make("span", { class: "tags" });
    const kind = item.kinds?.[own];
    if (right) tags.append(make("span", { class: "tag gold" }, "✓ right answer"));
    else if (kind) tags.append(make("span", { class: "tag" }, make("bdi", {}, names.kinds?.[kind] || kind)));
    for (const reply of by) {
      const who = names.runs.length > 1 ? ` by ${names.runs[reply.run || 0]}` : "";
      tags.append(make("span", { class: "tag taken" }, names.runs.length > 1 ? runKey(reply.run || 0) : "▸", ` chosen${who}`));
    }
    row.append(tags);
    list.append(row);
  });
  return list;
}

function factList(item) {
  const facts = make("dl", { class: "facts" });
  const add = (name, value, code) => {
    if (value === undefined || value === "") return;
    facts.append(make("div", {}, make("dt", {}, name), make("dd", { dir: "auto" }, ...(code ? [make("code", {}, ...breakable(value))] : breakable(value)))));
  };
  add("item", item.id, true);
  for (const [name, value] of Object.entries(item.tags || {})) add(name, Array.isArray(value) ? value.join(", ") : String(value));
  add("group", item.group);
  add("source", item.source);
  add("licence", item.licence);
  if (item.meta && item.kind !== "open") { // else it stands beside the replies
    const code = make("code", {}, item.meta);
    facts.append(make("div", { class: "whole" }, make("dt", {}, "meta"), make("dd", {}, item.meta.length > 80 ? make("details", {}, make("summary", {}, "show"), code) : code)));
  }
  return facts;
}

// A range of time such as [0.48, 1.24] or 0.5 s to 2 s; null where a text is none.
function rangeOf(text) {
  const found = text.length > 60 ? null : /^(\[?)\s*(\d+(?:\.\d+)?)\s*(s?)\s*(?:,|-|–|to)\s*(\d+(?:\.\d+)?)\s*(s?)\s*(\]?)$/.exec(text.trim());
  if (!found || !(found[1] && found[6] || found[5])) return null;
  const [from, to] = [Number(found[2]), Number(found[4])];
  return to > from ? { from, to } : null;
}

// By which of all replies to a sound an option was chosen, as a mark and in words; nothing where it was by none.
function chosenBy(replies, all, names) {
  if (!replies.length) return { signs: [], said: "" };
  const runs = [...new Set(replies.map((reply) => reply.run || 0))].sort((a, b) => a - b), few = runs.length < 4;
  const times = new Set(all.map((reply) => reply.variant || 0)).size > 1 && replies.length < all.length ? ` in ${replies.length} of ${all.length} replies` : "";
  if (names.runs.length < 2) return { signs: [`▸${times && ` ${replies.length}/${all.length}`}`], said: `, chosen${times}` };
  return { signs: few ? runs.map((run) => runKey(run) || "▸") : [`▸ ${runs.length}`], said: `, chosen by ${few ? runs.map((run) => inShort(names.runs[run])).join(", ") : `${runs.length} runs`}${times}` };
}

// What of an item's options, or of its reference and the replies of those who heard its clip, is a range of time in that.
function spansOf(item, groups, names) {
  const found = (text, more) => { const range = rangeOf(text || ""); return range && { ...range, ...more }; };
  const heard = groups.filter(({ variant }) => !names.aside.includes(variant)), replies = heard.flatMap((group) => group.replies);
  if (!item.options) {
    const said = replies.map((reply) => found(reply.text, { mark: "reply", signs: names.runs.length > 1 ? [runKey(reply.run || 0) || "▸"] : [], name: `Reply of ${inShort(names.runs[reply.run || 0])}` }));
    return [found(item.answer, { mark: "reference", name: "Reference", right: true }), ...said].filter(Boolean).slice(0, 12);
  }
  const orders = new Set(heard.map((group) => group.order.join()));
  const order = heard.length ? heard[0].order : item.options.map((_, place) => place);
  const spans = order.map((own, place) => {
    const { signs, said } = chosenBy(heard.flatMap((group) => group.replies.filter((reply) => group.order[reply.chosen ?? -1] === own)), replies, names);
    const called = orders.size > 1 ? item.options[own] : letter(place);
    return found(item.options[own], { mark: called, signs, name: `Option ${called}${own === item.gold ? ", the right one" : ""}${said}`, right: own === item.gold });
  });
  return spans.every(Boolean) ? spans : [];
}

// Replies that have something in common, by what it is.
function alike(replies, of) {
  const found = new Map();
  for (const reply of replies) {
    const what = of(reply);
    if (what !== null) found.set(what, [...(found.get(what) || []), reply]);
  }
  return found;
}

// A run inside a sentence, whatever it is called: isolated, since a name may turn the direction of writing.
const inShort = (name) => `\u2068${name.length > HEADING / 5 ? `${name.slice(0, HEADING / 5)}…` : name}\u2069`;
const whose = (replies, parts, names) => (parts.size < 2 ? "" : replies.length > 3 ? ` to ${replies.length} runs` : ` to ${replies.map((reply) => inShort(names.runs[reply.run || 0])).join(", ")}`);
const wasSent = (reply, names) => !["not asked", "failed"].includes(names.verdicts[reply.verdict || 0]);

// Whether items come with fewer options, and their own clip.
const hasFewer = (name) => /^(distractors=|leave-\d)/.test(name);

// Which wording, order and time it is, from 1 as in charts, of those ways in which a run's variants differ; ``order``:
// "same" where an item's options stand as in its first one, "none" where it has no options.
function waysOf(names, variant, order) {
  const number = (name, way) => Number((name.match(new RegExp(`\\b${way}-(\\d+)`)) || [0, 0])[1]);
  const own = names.variants.filter((_, other) => !names.aside.includes(other));
  return ["wording", "order", "repeat"].filter((way) => own.some((name) => number(name, way))).map((way) => {
    const nth = `${way} ${number(names.variants[variant], way) + 1}`;
    return way !== "order" || order === "none" ? nth : `options in ${nth}${order === "same" ? ", which is the same as 1" : ""}`;
  });
}

// What a variant is called, here and in the filter: what was heard, and in which way it was asked, or its name in the run folder.
// Which wrong options a variant with fewer has.
function fewerOptions(names, name) {
  const [, kinds, left] = /^distractors=(.*)|leave-(.*)$/s.exec(name);
  return left ? `without wrong option ${left}` : `of the wrong options the ${kinds.split("+").map((kind) => names.kinds?.[kind] || kind).join(", and the ")}`;
}

function variantTitle(names, variant, order) {
  const name = names.variants[variant];
  const sent = { plain: "its own clip", noise: "noise in place of the clip", silence: "silence in place of the clip", "other-clip": "another item's clip", "text-only": "no clip, the words alone" }[name];
  if (hasFewer(name)) return `its own clip, ${fewerOptions(names, name)} (${name})`;
  const ways = names.aside.includes(variant) ? [] : waysOf(names, variant, order);
  if (ways.length) return ["its own clip", ...ways].join(", ");
  return sent ? `${sent} (${name})` : name;
}

// What the model heard in a variant in which it did not hear the item's own clip.
function heardBoxes(group, names, clips) {
  const variant = names.variants[group.variant];
  if (!names.aside.includes(group.variant) || hasFewer(variant)) return [];
  if (variant === "text-only") return [make("p", { class: "none" }, "No clip was sent, the words alone.")];
  if (variant === "silence") return [make("p", { class: "none" }, "Silence as long as the clip was sent: there is nothing to hear.")];
  const parts = alike(group.replies.filter((reply) => wasSent(reply, names)), (reply) => JSON.stringify(reply.heard || []));
  return [...parts.entries()].flatMap(([heard, replies]) => {
    const numbers = JSON.parse(heard), title = `Sent${whose(replies, parts, names)} in place of the clip`;
    if (!numbers.length) return [make("p", { class: "none" }, `${title}: a sound that is not in this page.`)];
    return [make("p", { class: "small heading" }, `${title}:`), ...numbers.map((number) => clipPlayer(clips[number], title))];
  });
}

function promptText(item, pieces, reply, order) {
  return pieces.map((piece) => (typeof piece === "string" ? piece : piece === -1 ? item.question : piece === -2 ? reply.words : item.options[order[piece]])).join("");
}

// The prompts of a group as they were sent, turn by turn, each once.
function promptBoxes(item, group, names) {
  const asked = group.replies.filter((reply) => names.verdicts[reply.verdict || 0] !== "not asked");
  const parts = alike(asked, (reply) => (reply.prompt === -1 && !wasSent(reply, names) ? null : JSON.stringify([reply.prompt || 0, reply.words || ""])));
  return [...parts.values()].map((replies) => {
    const [reply] = replies, frame = names.prompts[reply.prompt || 0];
    if (!frame) return make("p", { class: "small" }, `The prompt${whose(replies, parts, names)} cannot be built again as it was sent: its layout is not among those of this version.`);
    const turns = frame.map(([role, inside]) => make("div", { class: "turn" }, make("p", { class: "role" }, role), ...inside.map((pieces) => (pieces === null
      ? make("p", { class: "place" }, "♪ clip")
      : make("pre", { dir: "auto", role: "group", tabindex: "0", "aria-label": "Prompt" }, promptText(item, pieces, reply, group.order))))));
    return make("details", { class: "prompt" }, make("summary", {}, `Prompt as it was sent${whose(replies, parts, names)}`), ...turns);
  });
}

function itemPanel(item, names, clips) {
  const groups = new Map(); // replies that were given to the same options in the same order
  for (const reply of item.replies || []) {
    const order = reply.order || (item.options || []).map((_, place) => place);
    const key = `${reply.variant || 0}:${order.join(",")}`;
    if (!groups.has(key)) groups.set(key, { variant: reply.variant || 0, order, replies: [] });
    groups.get(key).replies.push(reply);
  }
  const panel = make("div", { class: "panel" });
  const asked = make("div", { class: "asked" });
  (item.clips || []).forEach((number, i, all) => {
    asked.append(clipPlayer(clips[number], all.length > 1 ? `Clip ${i + 1} of ${all.length}` : "Clip", all.length > 1 ? [] : spansOf(item, [...groups.values()], names)));
  });
  if (!(item.clips || []).length) asked.append(make("p", { class: "none" }, "This item has no clip."));
  if (item.question.length > HEADING) asked.append(make("p", { class: "question", dir: "auto" }, item.question));
  panel.append(asked, factList(item));
  if (item.kind === "open") asked.append(descriptionBox(item));
  if (item.kind) asked.append(referenceBox(item));
  const shuffled = (group) => String(group.order) !== String([...groups.values()].find(({ variant }) => names.variants[variant] === "plain")?.order);
  for (const group of groups.values()) {
    const part = make("div", { class: "group" });
    if (names.variants.length > 1) part.append(make("h3", {}, "With ", make("bdi", {}, variantTitle(names, group.variant, item.options ? (names.variants[group.variant] === "plain" || shuffled(group) ? undefined : "same") : "none"))));
    part.append(...heardBoxes(group, names, clips), ...promptBoxes(item, group, names));
    if (item.options) part.append(optionList(item, group.order, group.replies, names));
    part.append(...group.replies.map((reply) => replyBox(item, reply, names)));
    asked.append(part);
  }
  const edited = (item.replies || []).find((reply) => reply.marks);
  if (edited) panel.append(make("p", { class: "small" }, `Compared are the ${edited.edits[4]}s as the measure normalises both texts: without case and punctuation, in English with numbers as figures.`));
  return panel;
}
