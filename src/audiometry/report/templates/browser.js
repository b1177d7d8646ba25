// The browser of all items: filters, a page of them at a time, keys.

const PAGE = 50;
const at = (id) => document.getElementById(id);

async function start() {
  const names = read("names");
  let items;
  try { items = await loadItems(); } catch (problem) { at("status").textContent = problem.message; return; }
  const found = { items, page: 0, open: null };
  const section = at("browser");
  const list = at("list");
  const places = new Map(items.map((item, i) => [item, i]));
  const words = []; // lower-cased text of each item, made when one is first searched

  function addWords(item, i) {
    const all = [item.id, item.question, names.tasks[item.task].title, item.answer, item.source, item.meta, ...(item.options || [])];
    for (const [name, value] of Object.entries(item.tags || {})) all.push(name, String(value));
    for (const reply of item.replies || []) all.push(reply.text, reply.error, reply.how, reply.notes);
    words[i] = all.filter(Boolean).join("\n").toLowerCase();
  }

  async function search() {
    try {
      if (words.length < items.length && at("search").value.trim()) await eachItem(addWords);
      filter();
    } catch (problem) { at("status").textContent = problem.message; }
  }

  const verdictOf = (reply) => names.verdicts[reply.verdict || 0];
  const chosenVerdict = () => document.querySelector("input[name=verdict]:checked").value;
  // Nothing wanted: the variants that the score is made of, in which items come with their own clip.
  const ofVariant = (variant, wanted) => (wanted === "" ? !names.without_clip.includes(variant) : wanted === "every" || String(variant) === wanted);
  const differ = (replies) => {
    const seen = new Map(); // by variant: the verdicts of the runs
    for (const reply of replies) seen.set(reply.variant || 0, (seen.get(reply.variant || 0) || new Set()).add(reply.verdict || 0));
    return [...seen.values()].some((verdicts) => verdicts.size > 1);
  };

  // The replies of an item that the filters of run and variant let through.
  function repliesOf(item) {
    const run = at("run").value, variant = at("variant").value;
    return (item.replies || []).filter((reply) => (run === "" || String(reply.run || 0) === run) && ofVariant(reply.variant || 0, variant) && (!at("score") || ofScore(reply, at("score").value)));
  }

  function filter() {
    const task = at("task").value;
    const verdict = chosenVerdict();
    const query = at("search").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const counts = Object.fromEntries(names.verdicts.map((name) => [name, 0]));
    let all = 0, differing = 0, shown = 0;
    found.items = [];
    items.forEach((item, i) => {
      if (task !== "" && names.tasks[item.task].name !== task) return;
      if (query.length && !query.every((word) => (words[i] || "").includes(word))) return;
      const replies = repliesOf(item);
      for (const reply of replies) for (const name of names.verdicts) counts[name] += isOf(verdictOf(reply), name) ? 1 : 0;
      const apart = differ(replies);
      all += replies.length;
      differing += apart ? 1 : 0;
      const matching = verdict === "differ" ? (apart ? replies.length : 0)
        : replies.filter((reply) => verdict === "" || isOf(verdictOf(reply), verdict)).length;
      shown += matching;
      if (matching) found.items.push(item);
    });
    if (at("sort") && at("sort").value) inOrder(at("sort").value);
    for (const input of document.querySelectorAll("input[name=verdict]")) {
      const n = input.value === "" ? all : input.value === "differ" ? differing : counts[input.value];
      input.nextElementSibling.querySelector(".n").textContent = n.toLocaleString("en");
    }
    const n = found.items.length;
    const parts = [n === items.length ? `${n.toLocaleString("en")} ${n === 1 ? "item" : "items"}` : `${n.toLocaleString("en")} of ${items.length.toLocaleString("en")} items`];
    if (shown !== n) parts.push(`${shown.toLocaleString("en")} replies`);
    at("status").textContent = n ? parts.join(", ") : "No item is like that. Clear the filters to see all.";
    found.page = 0;
    show();
  }

  // By the mean score of the replies that are let through; items without one last.
  function inOrder(wanted) {
    const means = new Map();
    for (const item of found.items) {
      const scores = repliesOf(item).map((reply) => reply.score).filter((score) => score !== undefined);
      means.set(item, scores.length ? scores.reduce((sum, score) => sum + score, 0) / scores.length : null);
    }
    const sign = wanted === "low" ? 1 : -1;
    found.items.sort((a, b) => (means.get(a) === null) - (means.get(b) === null) || sign * (means.get(a) - means.get(b)));
  }

  function show() {
    const last = Math.max(0, Math.ceil(found.items.length / PAGE) - 1);
    found.page = Math.min(Math.max(0, found.page), last);
    found.open = null;
    list.start = found.page * PAGE + 1;
    list.replaceChildren(...found.items.slice(found.page * PAGE, (found.page + 1) * PAGE).map(row));
    at("pages").hidden = last === 0;
    at("page").textContent = `Page ${found.page + 1} of ${last + 1}`;
    at("previous").disabled = found.page === 0;
    at("next").disabled = found.page === last;
  }

  function row(item) {
    const button = make("button", { type: "button", class: "row", "aria-expanded": "false" });
    const marks = make("span", { class: "marks" });
    const several = names.runs.length > 1;
    const replies = repliesOf(item);
    for (const reply of replies.slice(0, 8)) {
      const score = reply.score !== undefined && verdictOf(reply) === "answered" ? scoreMark(reply) : null;
      marks.append(make("span", {}, several ? runKey(reply.run || 0) : "", score || verdictMark(verdictOf(reply))));
    }
    if (replies.length > 8) marks.append(`and ${replies.length - 8} more`);
    button.append(marks, make("span", { class: "asks", dir: "auto" }, item.question.length > HEADING ? `${item.question.slice(0, HEADING)} …` : item.question), make("span", { class: "of-task" }, names.tasks[item.task].title));
    const entry = make("li", {}, button);
    entry.item = item;
    button.addEventListener("click", () => (found.open === entry ? close() : open(entry)));
    return entry;
  }

  // The address says which item is open, so that it can be handed on; some browsers refuse that in a file.
  function address(hash) {
    try { history.replaceState(null, "", hash); } catch { /* the page works without */ }
  }

  function open(entry) {
    close();
    const panel = make("div", { id: "open-item", class: "panel", role: "region", "aria-label": `Item ${entry.item.id}` });
    entry.append(panel);
    itemAt(places.get(entry.item)).then((item) => panel.replaceChildren(...itemPanel(item, names, clipEntries).childNodes), (problem) => panel.replaceChildren(problem.message));
    entry.classList.add("open");
    const button = entry.firstChild;
    button.setAttribute("aria-expanded", "true");
    button.setAttribute("aria-controls", "open-item");
    found.open = entry;
    address(`#item=${encodeURIComponent(entry.item.id)}`);
  }

  function close() {
    const entry = found.open;
    if (!entry) return;
    for (const audio of entry.querySelectorAll("audio")) audio.pause();
    entry.lastChild.remove();
    entry.classList.remove("open");
    entry.firstChild.setAttribute("aria-expanded", "false");
    entry.firstChild.removeAttribute("aria-controls");
    found.open = null;
    address("#browser");
  }

  // Focus a row, and open it if one was open: next and previous keep on reading.
  function step(by) {
    const here = document.activeElement.closest ? document.activeElement.closest("#list > li") : null;
    const rows = [...list.children];
    const place = here ? rows.indexOf(here) : (found.open ? rows.indexOf(found.open) : -1);
    const wasOpen = found.open !== null;
    let next = place < 0 ? 0 : place + by;
    if (next < 0 || next >= rows.length) {
      const page = found.page + by;
      if (page < 0 || page * PAGE >= found.items.length) return;
      found.page = page;
      show();
      next = by > 0 ? 0 : list.children.length - 1;
    }
    const entry = list.children[next];
    if (!entry) return;
    if (wasOpen) open(entry);
    entry.firstChild.focus({ preventScroll: true });
    entry.scrollIntoView({ block: wasOpen ? "start" : "nearest" });
  }

  function keys(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const target = event.target;
    if (event.key === "Escape") {
      const entry = found.open;
      if (target === at("search") && target.value) { target.value = ""; filter(); }
      else if (entry) { close(); entry.firstChild.focus(); }
      else return;
      event.preventDefault();
      return;
    }
    if (target.matches("input, select, textarea, audio, pre")) return; // they have keys of their own
    const arrows = target.closest("#list");
    if (event.key === "j" || (arrows && event.key === "ArrowDown")) step(1);
    else if (event.key === "k" || (arrows && event.key === "ArrowUp")) step(-1);
    else if (event.key === "/") at("search").focus();
    else if (event.key === "p" && found.open) {
      const audio = found.open.querySelector("audio");
      if (audio) { if (audio.paused) audio.play().catch(() => {}); else audio.pause(); }
    } else return;
    event.preventDefault();
  }

  function choices() {
    const kinds = [["", "all"], ...names.verdicts.map((name) => [name, name])];
    if (names.runs.length > 1) kinds.push(["differ", "runs differ"]);
    for (const [value, text] of kinds) {
      const input = make("input", { type: "radio", name: "verdict", value, id: `verdict-${value || "all"}`, checked: value === "" });
      const label = make("label", { for: input.id }, SYMBOLS[value] ? verdictMark(value) : text, make("span", { class: "n" }));
      at("verdicts").append(input, label);
    }
    names.tasks.forEach((task) => at("task").append(make("option", { value: task.name }, task.title)));
    names.runs.forEach((run, i) => at("run").append(make("option", { value: String(i) }, run)));
    names.variants.forEach((variant, i) => at("variant").append(make("option", { value: String(i) }, variant)));
    list.style.setProperty("--marks", names.runs.length * (names.variants.length - names.without_clip.length) > 1 ? "15.5rem" : "7.5rem");
    if (names.without_clip.length) {
      at("variant").options[0].textContent = "with their own clip";
      at("variant").append(make("option", { value: "every" }, "any variant"));
    }
    at("run-field").hidden = names.runs.length < 2;
    at("variant-field").hidden = names.variants.length < 2;
  }

  function clear() {
    at("filters").reset();
    filter();
  }

  // An address that ends in #item=ID opens that item, whatever the filters say.
  function follow(hash) {
    if (!hash.startsWith("#item=")) return;
    let wanted = "";
    try { wanted = decodeURIComponent(hash.slice(6)); } catch { return; }
    let place = found.items.findIndex((item) => item.id === wanted);
    if (place < 0) { clear(); place = found.items.findIndex((item) => item.id === wanted); }
    if (place < 0) return;
    found.page = Math.floor(place / PAGE);
    show();
    const entry = list.children[place % PAGE];
    open(entry);
    entry.firstChild.focus({ preventScroll: true });
    entry.scrollIntoView({ block: "start" });
  }

  let waiting = 0;
  choices();
  filter();
  at("filters").addEventListener("change", (event) => { if (event.target.id !== "search") filter(); });
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("search").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(search, 120); });
  at("clear").addEventListener("click", clear);
  at("previous").addEventListener("click", () => { found.page -= 1; show(); section.scrollIntoView(); });
  at("next").addEventListener("click", () => { found.page += 1; show(); section.scrollIntoView(); });
  section.addEventListener("keydown", keys);
  addEventListener("hashchange", () => follow(location.hash));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#item=']");
    if (link) { event.preventDefault(); follow(link.getAttribute("href")); }
  });
  follow(location.hash);
  document.documentElement.dataset.ready = "true";
}

// After the first paint: summary and chart are there before thousands of items are read.
requestAnimationFrame(() => setTimeout(start, 0));
