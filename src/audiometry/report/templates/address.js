// The state of the list of items, which is the page's address, so that what is seen can be handed on. The address, also
// for links to it from anywhere on the page (all names may be absent; values are encoded as in a query):
//   #browser?NAME=VALUE&…
//     task            name of a task
//     verdict         one of the page's (wrong, answered, not asked, …), or "differ": items on which runs do not agree
//     tag             TAG:VALUE, or TAG for items that have it
//     how             the rule that read the answer, or why none was read
//     kind            of the wrong option that was taken, as the benchmark has it
//     wrong           what is wrong with the reply, by the name of a code
//     run             a run's name on the page
//     variant         its name; "every": also those without the clip, which are left out else
//     score           see SCORES in answers.js
//     right, chosen   text of the right option or label, and of the one that was read; chosen empty: none was, of a reply that came
//     q               words to search for
//     sort            task, verdict, how, tag, low, high, fewest, most; absent: as in the benchmark
//     page            from 1
//     item            id of the item that is open
//   #item=ID is short for #browser?item=ID. Where the page has not what is asked for, no item is shown and the list says so.
// <a data-items="task=…&verdict=wrong"> becomes such a link as soon as there is a list to lead to, and is text until then.

let names, items, columns; // of the page, once they are read
let state = {}; // values of FILTERS, as in the address
let missing = []; // what an address asks for and the page has not: name and value
let page = 0, opened = null; // which part of the list is shown, and its entry that is open
let settled = null; // the control of which a change made the step that is the last, if any
const OPENED = "item"; // the step of an item that was opened
const FILTERS = ["task", "verdict", "tag", "how", "kind", "wrong", "run", "variant", "score", "right", "chosen", "q", "sort"];
const SORTS = {
  task: "by task", verdict: "by verdict", how: "by rule", tag: "by value of the tag", low: "lowest score first",
  high: "highest score first", fewest: "fewest errors first", most: "most errors first",
};
const LONGEST_QUERY = 1000; // characters
const at = (id) => document.getElementById(id);
const section = at("browser"), list = at("list");

// Of an address's tag the name, and the number of its value; a name may hold a colon.
function tagOf(text) {
  if (columns.tags.has(text)) return [text];
  for (const [name, tag] of columns.tags) {
    if (!text.startsWith(`${name}:`)) continue;
    const value = text.slice(name.length + 1);
    const number = [value, value.toLowerCase(), String(Number(value))].map(tag.values.number).find((one) => one !== undefined); // True, 1.0
    if (number !== undefined) return [name, number];
  }
  return null;
}

const KNOWN = {
  task: (value) => names.tasks.some(({ name }) => name === value),
  verdict: (value) => names.verdicts.includes(value) || (names.runs.length > 1 && value === "differ"),
  tag: tagOf,
  how: (value) => columns.hows.number(value) !== undefined,
  kind: (value) => columns.kinds.number(value) !== undefined,
  wrong: (value) => columns.codes.number(value) !== undefined,
  run: (value) => names.runs.includes(value),
  variant: (value) => names.variants.includes(value) || (names.aside.length > 0 && value === "every"),
  score: (value) => SCORES.some(([name]) => name === value),
  right: (value) => columns.answers.number(value) !== undefined,
  chosen: (value) => value === "" || columns.answers.number(value) !== undefined,
  sort: (value) => Object.hasOwn(SORTS, value) && (value !== "tag" || columns.tags.size > 0),
};

function address(item) {
  const query = new URLSearchParams();
  for (const name of FILTERS) if (state[name] !== undefined) query.append(name, state[name]);
  if (item) query.append("item", item.id);
  else if (page > 0) query.append("page", page + 1);
  return query.size ? `#browser?${query}` : "#browser";
}

// Make the state the address. Steps that "Back" undoes: to open an item, to follow a link, and the first of all changes of
// one filter or of the words to search for; what follows in the same control, and turning pages, goes on in that step.
function write(step) {
  const hash = address(opened && items[opened.place]);
  at("link").href = hash;
  if (step) settled = step;
  put(hash, Boolean(step), step === OPENED || (!step && opened && history.state?.opened));
}

function put(hash, step, opens) {
  const state = opens ? { opened: true } : null;
  try { // some browsers refuse that in a file; the list works without
    if (step && hash !== location.hash) history.pushState(state, "", hash);
    else history.replaceState(state, "", hash);
  } catch { /* as above */ }
}

// What an address asks for; null: nothing of the list.
function asked(hash) {
  const query = new URLSearchParams(hash.startsWith("#browser?") ? hash.slice(9) : "");
  if (hash.startsWith("#item=")) {
    try { query.set("item", decodeURIComponent(hash.slice(6))); } catch { return null; }
  } else if (!["", "#", "#browser"].includes(hash) && !hash.startsWith("#browser?")) return null;
  const to = { state: {}, page: Math.max(0, (parseInt(query.get("page"), 10) || 1) - 1), missing: [] };
  for (const name of FILTERS) {
    const value = query.get(name);
    if (value === null || (value === "" && name !== "chosen")) continue;
    if (name === "q") to.state.q = value.slice(0, LONGEST_QUERY);
    else if (KNOWN[name](value)) to.state[name] = value;
    else to.missing.push([name, value]);
  }
  if (query.has("item")) {
    to.item = columns.places.get(query.get("item"));
    if (to.item === undefined) to.missing.push(["item", query.get("item")]);
  }
  return to;
}
