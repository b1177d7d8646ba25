// The controls of the list of items: only those are there that can make a difference.

const MOST_VALUES = 200; // of a tag that can be chosen from; an address and a search know all
const UNMADE = ["failed", "not asked", "unjudged"]; // no reply came, or nobody has read it
const words = []; // lower-cased text of each item

function addWords(item, i) {
  const all = [item.id, item.question, names.tasks[item.task].title, item.answer, item.source, item.meta, ...(item.options || [])];
  for (const [name, value] of Object.entries(item.tags || {})) all.push(name, String(value));
  for (const reply of item.replies || []) all.push(reply.text, reply.error, reply.how, reply.notes);
  words[i] = all.filter(Boolean).join("\n").toLowerCase();
}

// Texts to search in are made while nothing else is to be done.
function readAhead() {
  const idle = window.requestIdleCallback || ((work) => setTimeout(work, 50));
  idle(() => {
    const end = performance.now() + 8;
    for (let i = words.length; i < items.length && performance.now() < end; ) { addWords(items[i], i); i += 1; }
    if (words.length < items.length) readAhead();
  });
}

// The filters as tests of numbers.
function tests() {
  const task = names.tasks.findIndex(({ name }) => name === state.task);
  const [tagName, tagValue] = state.tag === undefined ? [] : tagOf(state.tag);
  const tag = columns.tags.get(tagName);
  const right = columns.answers.number(state.right), how = columns.hows.number(state.how), kind = columns.kinds.number(state.kind), code = columns.codes.number(state.wrong);
  const chosen = state.chosen === "" ? -1 : columns.answers.number(state.chosen);
  const run = names.runs.indexOf(state.run), bit = 1 << SCORES.findIndex(([name]) => name === state.score);
  const variants = names.variants.map((name, v) => (state.variant === undefined ? !names.aside.includes(v) : state.variant === "every" || state.variant === name));
  const came = names.verdicts.map((name) => !UNMADE.includes(name));
  const query = (state.q || "").toLowerCase().split(/\s+/).filter(Boolean);
  const impossible = missing.some(([name]) => FILTERS.includes(name) && name !== "sort");
  const flags = names.verdicts.map((name) => state.verdict === undefined || isOf(name, state.verdict));
  return {
    tag,
    verdict: state.verdict === "differ" ? "differ" : flags,
    item: (i) => !impossible && (task < 0 || columns.task[i] === task) && (right === undefined || columns.right[i] === right)
      && (tag === undefined || hasTag(tag, i, tagValue)) && query.every((word) => (words[i] || "").includes(word)),
    reply: (k) => variants[columns.variant[k]] && (run < 0 || columns.run[k] === run) && (how === undefined || columns.how[k] === how)
      && (kind === undefined || columns.kind[k] === kind) && (code === undefined || columns.code[k] === code)
      && (state.score === undefined || (columns.is[k] & bit) !== 0)
      && (state.chosen === undefined || (columns.chosen[k] === chosen && (chosen >= 0 || came[columns.verdict[k]]))),
  };
}

// A select has no place to isolate a name: marks that turn the direction of writing are spelt out in it.
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const option = ([value, text]) => make("option", { value }, text.replace(TURNS, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`));
// Fill a select; without at least two different choices it is absent.
function offer(id, options, any, least = 2) {
  at(id).replaceChildren(...(any ? [option(["", any])] : []), ...options.map(option));
  at(`${id}-field`).hidden = options.length < least;
}

const occurring = (codes, texts) => {
  const counts = new Uint32Array(texts.length);
  for (const code of codes) if (code >= 0) counts[code] += 1;
  return counts;
};

function choices() {
  at("link").hidden = !navigator.clipboard;
  const kinds = [["", "all"], ...names.verdicts.filter((_, verdict) => columns.verdicts[verdict]).map((name) => [name, name]), ...(names.runs.length > 1 ? [["differ", "runs differ"]] : [])];
  at("verdicts").append(...kinds.flatMap(([value, text]) => {
    const input = make("input", { type: "radio", name: "verdict", value, id: `verdict-${value || "all"}`, checked: value === "" });
    return [input, make("label", { for: input.id }, SYMBOLS[value] ? verdictMark(value) : text, make("span", { class: "n" }))];
  }));
  const same = (texts) => texts.map((text) => [text, text]);
  const counts = occurring(columns.how, columns.hows.texts);
  const scored = columns.is.reduce((all, is) => all | is, 0);
  const own = names.aside.length;
  offer("task", names.tasks.map(({ name, title }) => [name, title]), "all tasks");
  offer("tag", same([...columns.tags.keys()].filter((name) => columns.tags.get(name).values.texts.length > 1 || columns.tags.get(name).one.includes(-1))), "any tag", 1);
  offer("how", same([...columns.hows.texts].sort((a, b) => counts[columns.hows.number(b)] - counts[columns.hows.number(a)])), `any ${at("how-field").firstChild.data.trim()}`);
  offer("kind", columns.kinds.texts.map((kind) => [kind, names.kinds?.[kind] || kind]), "any", 1);
  offer("wrong", Object.entries(names.codes || {}).filter(([code]) => columns.codes.number(code) !== undefined), "any", 1);
  offer("run", same(names.runs), "any run");
  offer("variant", [...names.variants.map((name, i) => [name, variantTitle(names, i)]), ...(own ? [["every", "any variant"]] : [])], own ? `with their own clip${names.variants.some(hasFewer) ? ", all options" : ""}` : "any variant");
  offer("score", SCORES.filter((_, bit) => scored & (1 << bit)).map(([name, text]) => [name, text]), "any score");
  list.style.setProperty("--marks", names.runs.length > 1 ? "9rem" : "7.5rem");
}

function orders() {
  const can = { task: names.tasks.length > 1, verdict: names.verdicts.length > 1, how: columns.hows.texts.length > 1, tag: state.tag !== undefined };
  can.low = can.high = columns.score.some((score) => score >= 0);
  can.fewest = can.most = columns.rate.some((rate) => rate >= 0);
  offer("sort", Object.entries(SORTS).filter(([name]) => can[name]), "as in the benchmark", 1);
}

// The values of the tag that is chosen: all, or the most frequent and the one that is wanted.
function values() {
  const [name, wanted] = state.tag === undefined ? [] : tagOf(state.tag);
  const tag = columns.tags.get(name);
  const texts = tag ? tag.values.texts : [];
  let numbers = tag ? sorted(tag.values) : [];
  if (numbers.length > MOST_VALUES) {
    const counts = occurring(tag.one, texts);
    const most = new Set([...numbers].sort((a, b) => counts[b] - counts[a]).slice(0, MOST_VALUES)).add(wanted);
    numbers = numbers.filter((number) => most.has(number));
  }
  offer("value", numbers.map((number) => [`:${texts[number]}`, texts[number] || "(empty)"]), "any value", 1);
  if (numbers.length < texts.length) at("value").append(make("option", { disabled: true }, `and ${(texts.length - numbers.length).toLocaleString("en")} more: search for them`));
  at("tag").value = name ?? "";
  at("value").value = wanted === undefined ? "" : `:${texts[wanted]}`;
}

// Set the controls to the state.
function controls() {
  for (const name of ["task", "how", "kind", "wrong", "run", "variant", "score"]) at(name).value = state[name] ?? "";
  for (const input of document.querySelectorAll("input[name=verdict]")) input.checked = input.value === (state.verdict ?? "");
  at("search").value = state.q ?? "";
  values();
  orders();
  at("sort").value = state.sort ?? "";
}

