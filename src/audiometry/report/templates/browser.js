// The list of all items: a page of those that are let through, keys, and the way to and from addresses.

const PAGE = 50;
const MOST_MARKS = 8; // of a row
const MOST_SAID = 3; // different answers in a row
const A_CELL = 44; // characters of answers beside the question; more than one of them get a line to themselves if longer
const MOST_KEYS = 4; // replies in a row of which it says who gave each answer; of more it says how many
let found = { items: [] }, wanted = null; // what is let through, and by what
let asks = 0, waiting = 0, leaving = false; // to tell the last filter, the last letter typed, and our own way back
const many = (n, one, more = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

// Choose the items anew by the state; whether that came to an end before the next time.
async function filter(to = 0) {
  asks += 1;
  const mine = asks;
  try {
    if (state.q && words.length < items.length) {
      at("status").textContent = "Reading the items …";
      await eachItem(addWords);
    }
  } catch (problem) {
    at("status").textContent = problem.message;
    return false;
  }
  if (mine !== asks) return false;
  wanted = tests();
  found = pick(columns, wanted, names.variants.length);
  if (state.sort && (state.sort !== "tag" || wanted.tag)) found.items = inOrder(found.items, keyOf(columns, state.sort, wanted.tag, wanted.reply));
  tell();
  show(to);
  return true;
}

// Show what an address asks for; whether it asks for anything of the list.
async function follow(hash) {
  const to = asked(hash);
  close();
  settled = null;
  if (!to) return false;
  ({ state, missing } = to);
  controls();
  await filter(to.page);
  if (to.item !== undefined) {
    for (const wider of [{}, { variant: "every" }]) { // it is wanted whatever the filters say
      if (found.items.includes(to.item)) break;
      state = wider;
      controls();
      await filter();
    }
    reveal(found.items.indexOf(to.item));
  }
  at("link").href = address(opened && items[opened.place]);
  return true;
}

function reveal(place) {
  if (place < 0) return;
  if (Math.floor(place / PAGE) !== page) show(Math.floor(place / PAGE));
  const entry = list.children[place % PAGE];
  open(entry, true);
  entry.firstChild.focus({ preventScroll: true });
}

// To what a link leads, as a step that "Back" undoes.
async function go(hash) {
  close();
  put(hash, true);
  if (!await follow(hash) || opened) return;
  section.focus({ preventScroll: true });
  section.scrollIntoView();
}

function tell() {
  for (const input of document.querySelectorAll("input[name=verdict]")) {
    const of = (name) => found.counts[names.verdicts.indexOf(name)] || 0;
    const n = input.value === "" ? found.all : input.value === "differ" ? found.differing
      : names.verdicts.reduce((sum, name) => sum + (isOf(name, input.value) ? of(name) : 0), 0);
    const { nextElementSibling: label } = input;
    label.querySelector(".n").textContent = n.toLocaleString("en");
    input.hidden = label.hidden = n === 0 && input.value !== "" && !input.checked;
  }
  const n = found.items.length;
  const parts = [n === items.length ? many(n, "item") : `${n.toLocaleString("en")} of ${many(items.length, "item")}`];
  if (found.replies !== n) parts.push(many(found.replies, "reply", "replies"));
  at("status").replaceChildren(n ? parts.join(", ") : items.length ? "No item is like that. Clear the filters to see all." : "There are no items.");
  for (const [name, value] of missing) at("status").append(` The page has no ${name} `, make("bdi", {}, value.length > 60 ? `${value.slice(0, 60)}…` : value), ".");
  const only = ["right", "chosen"].filter((name) => state[name] !== undefined);
  at("only").hidden = only.length === 0;
  at("only-said").replaceChildren("Only replies where ", ...only.flatMap((name, i) => [i ? " and " : "", state[name] ? make("bdi", {}, state[name]) : "nothing", name === "right" ? " is right" : " was read"]));
}

function show(to) {
  const last = Math.max(0, Math.ceil(found.items.length / PAGE) - 1);
  page = Math.min(Math.max(0, to), last);
  close();
  list.start = page * PAGE + 1;
  list.replaceChildren(...found.items.slice(page * PAGE, (page + 1) * PAGE).map(row));
  const rows = [...list.querySelectorAll(".row")], two = rows.some((one) => one.querySelectorAll(".answers bdi").length > 2 && one.querySelector(".answers").textContent.length > A_CELL);
  rows.forEach((one) => one.classList.toggle("two", two)); // all alike, so that the eye can go down the list
  at("pages").hidden = last === 0;
  at("page").textContent = `Page ${page + 1} of ${last + 1}`;
  at("previous").disabled = page === 0;
  at("next").disabled = page === last;
}

const short = (text) => (text.length > HEADING ? `${text.slice(0, HEADING)} …` : text);
const runMark = (reply) => (names.runs.length > 1 ? make("span", { class: "by", title: names.runs[reply.run || 0] }, runKey(reply.run || 0)) : "");

function markOf(reply, brief) {
  const verdict = names.verdicts[reply.verdict || 0];
  if (verdict === "answered" && (reply.score !== undefined || reply.edits)) return scoreMark(reply) || errorMark(reply);
  if (!brief) return verdictMark(verdict);
  return make("span", { class: `verdict ${verdict.replace(" ", "-")}`, title: verdict }, SYMBOLS[verdict], make("span", { class: "visually-hidden" }, verdict));
}

// right → chosen, or reference → reply; where runs differ, what each of them said.
function answers(item, replies) {
  const said = new Map();
  for (const reply of replies) {
    const text = (saidOf(item, reply) || "").trim();
    if (!said.has(text)) said.set(text, []);
    said.get(text).push(reply);
  }
  const right = (rightOf(item) || "").trim();
  const box = make("span", { class: "answers" }, make("span", { class: "visually-hidden" }, isRead(item) ? "right:" : "reference:"),
    make("bdi", { class: "right" }, short(right) || "–"), make("span", { "aria-hidden": "true" }, "→"), make("span", { class: "visually-hidden" }, isRead(item) ? "read:" : "reply:"));
  [...said].slice(0, MOST_SAID).forEach(([text, by]) => {
    const keys = said.size > 1 && replies.length <= MOST_KEYS ? by.map(runMark) : [];
    const times = said.size > 1 && replies.length > MOST_KEYS ? make("span", { class: "of" }, `× ${by.length}`) : "";
    box.append(make("span", { class: "said-so" }, ...keys, make("bdi", {}, short(text) || "–"), times));
  });
  if (said.size > MOST_SAID) box.append(make("span", { class: "more" }, `and ${said.size - MOST_SAID} more`));
  return box;
}

function row(place) {
  const item = items[place];
  const replies = (item.replies || []).filter((_, k) => wanted.reply(columns.ends[place] + k));
  const marks = make("span", { class: "marks" }, ...replies.slice(0, MOST_MARKS).map((reply) => make("span", {}, runMark(reply), markOf(reply, replies.length > 2))));
  if (replies.length > MOST_MARKS) marks.append(`and ${replies.length - MOST_MARKS} more`);
  const button = make("button", { type: "button", class: "row", "aria-expanded": "false" }, marks, make("span", { class: "asks", dir: "auto" }, short(item.question)),
    answers(item, replies), names.tasks.length > 1 ? make("bdi", { class: "of-task" }, names.tasks[item.task].title) : "");
  const entry = make("li", {}, button);
  entry.place = place;
  button.addEventListener("click", (event) => {
    if (opened === entry) { leave(); return; }
    const step = opened === null;
    open(entry, event.detail === 0); // by the keyboard; a mouse stands where it is wanted
    write(step ? OPENED : undefined);
  });
  return entry;
}

// Open an item, perhaps scrolled to: at once, and again when there is something below it to scroll by.
function open(entry, scroll) {
  close();
  opened = entry;
  const { id } = items[entry.place];
  const panel = make("div", { id: "open-item", class: "panel", role: "region", "aria-label": `Item ${id}` });
  entry.append(panel);
  entry.classList.add("open");
  entry.firstChild.setAttribute("aria-expanded", "true");
  entry.firstChild.setAttribute("aria-controls", "open-item");
  const look = () => { if (scroll && opened === entry) entry.scrollIntoView({ block: "start" }); };
  look();
  itemAt(entry.place).then((item) => panel.replaceChildren(...itemPanel(item, names, clipEntries).childNodes), (problem) => panel.replaceChildren(problem.message)).then(look);
}

function close() {
  const entry = opened;
  if (!entry) return null;
  opened = null;
  for (const audio of entry.querySelectorAll("audio")) audio.pause();
  entry.lastChild.remove();
  entry.classList.remove("open");
  entry.firstChild.setAttribute("aria-expanded", "false");
  entry.firstChild.removeAttribute("aria-controls");
  return entry;
}

// Close an item as "Back" does, so that no step remains that leads nowhere.
function leave() {
  const entry = close();
  const back = Boolean(history.state && history.state.opened);
  if (back) { leaving = true; history.back(); } else write();
  if (entry) entry.firstChild.focus();
}

// Focus a row, and open it if one was open: next and previous keep on reading.
function step(by) {
  const here = document.activeElement.closest("#list > li") || opened;
  const wasOpen = opened !== null;
  let next = here ? [...list.children].indexOf(here) + by : 0;
  if (next < 0 || next >= list.children.length) {
    if (page + by < 0 || (page + by) * PAGE >= found.items.length) return;
    show(page + by);
    next = by > 0 ? 0 : list.children.length - 1;
  }
  const entry = list.children[next];
  if (!entry) return;
  if (wasOpen) open(entry, true);
  write();
  entry.firstChild.focus({ preventScroll: true });
  entry.scrollIntoView({ block: wasOpen ? "start" : "nearest" });
}

function play() {
  const audio = opened && opened.querySelector("audio");
  if (audio && audio.paused) audio.play().catch(() => {});
  else if (audio) audio.pause();
  return Boolean(audio);
}

function keys(event) {
  const { target, key } = event;
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
  if (key === "Escape") {
    if (target === at("search") && target.value) { target.value = ""; changed(); }
    else if (opened) leave();
    else return;
  } else if (target.closest("input, select, textarea, audio, [contenteditable]")) return; // they have keys of their own
  else if (key === "j" || (key === "ArrowDown" && target.closest(".row"))) step(1);
  else if (key === "k" || (key === "ArrowUp" && target.closest(".row"))) step(-1);
  else if (key === "/") at("search").focus();
  else if (key === "Enter" && (target === document.body || target === section)) list.firstChild?.firstChild.click();
  else if (key !== "p" || !play()) return;
  event.preventDefault();
}

// Set the state to the controls.
async function changed(event) {
  clearTimeout(waiting);
  const { right, chosen } = state, before = at("tag").value;
  state = { verdict: document.querySelector("input[name=verdict]:checked")?.value ?? "", q: at("search").value.slice(0, LONGEST_QUERY).trim(), right, chosen };
  for (const name of ["task", "how", "kind", "wrong", "run", "variant", "score", "sort"]) state[name] = at(name).value;
  state.tag = before + (event && event.target === at("tag") ? "" : at("value").value);
  for (const name of FILTERS) if (state[name] === "" && name !== "chosen") delete state[name];
  if (event && ["tag", "value"].includes(event.target.id)) controls();
  missing = [];
  await narrowed(event ? event.target.name || event.target.id : "search");
}

// Show what the filters let through, as a step of this control, if that was not the last already.
async function narrowed(control) {
  if (await filter()) write(settled === control ? undefined : control);
}

async function clear() {
  state = {};
  missing = [];
  controls();
  await narrowed("clear");
}

function turn(by) {
  show(page + by);
  write();
  section.scrollIntoView();
}

function listen() {
  at("filters").addEventListener("change", (event) => { if (event.target !== at("search")) changed(event); });
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("search").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(changed, 40); });
  at("clear").addEventListener("click", clear);
  at("all-answers").addEventListener("click", (event) => { delete state.right; delete state.chosen; changed(event); });
  at("previous").addEventListener("click", () => turn(-1));
  at("next").addEventListener("click", () => turn(1));
  at("link").addEventListener("click", (event) => {
    event.preventDefault();
    const say = (text) => { at("copied").textContent = text; };
    navigator.clipboard.writeText(at("link").href).then(() => say("copied"), () => say("it is the page's address"));
    setTimeout(say, 3000, "");
  });
  document.addEventListener("keydown", keys);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#item='], a[href^='#browser?']");
    if (!link || link === at("link") || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(link.getAttribute("href"));
  });
  addEventListener("hashchange", () => {
    if (leaving) { leaving = false; write(); } else follow(location.hash);
  });
}

async function start() {
  at("reading").textContent = "Reading the items …";
  names = read("names");
  items = await loadItems();
  columns = tabulate(items, names);
  at("reading").textContent = "";
  choices();
  for (const link of document.querySelectorAll("a[data-items]")) link.href = `#browser?${link.dataset.items}`;
  for (const part of document.querySelectorAll("[data-needs-items]")) part.hidden = false;
  listen();
  if (!await follow(location.hash)) await follow("");
  else if (location.hash.length > 1 && !opened) section.scrollIntoView();
  document.documentElement.dataset.ready = "true";
  if (!pieces) readAhead();
}

// After the first paint: summary and chart are there before thousands of items are read.
requestAnimationFrame(() => setTimeout(() => start().catch((problem) => { at("reading").textContent = problem.message; }), 0));
