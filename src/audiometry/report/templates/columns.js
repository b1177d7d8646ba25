// The items as columns: what filters and orders look at, as numbers, made once. Texts that come again and again (options,
// labels, rules, values of tags) are numbered in books.

function book() {
  const numbers = new Map(), texts = [];
  return {
    texts,
    number: (text) => numbers.get(text),
    add(text) {
      let found = numbers.get(text);
      if (found === undefined) { found = texts.push(text) - 1; numbers.set(text, found); }
      return found;
    },
  };
}

const rightOf = (item) => (item.options ? item.options[item.gold ?? -1] : item.answer);
const isRead = (item) => !item.kind || item.kind === "label"; // rules read one of a few answers
function saidOf(item, reply) {
  if (!isRead(item)) return reply.text;
  if (!item.options) return reply.read;
  const chosen = reply.chosen ?? -1;
  return item.options[ownPlace(reply, chosen)];
}
// The place in the item's own order of the option that was shown at a place.
const ownPlace = (reply, place) => (reply.order ? reply.order[place] : place);

function tabulate(items, names) {
  const n = items.length, m = items.reduce((sum, item) => sum + (item.replies || []).length, 0);
  const columns = {
    n, task: new Uint32Array(n), right: new Int32Array(n).fill(-1), ends: new Uint32Array(n + 1), tags: new Map(),
    run: new Uint16Array(m), variant: new Uint16Array(m), verdict: new Uint8Array(m), how: new Int32Array(m).fill(-1),
    chosen: new Int32Array(m).fill(-1), is: new Uint16Array(m), score: new Float32Array(m).fill(NaN), rate: new Float32Array(m).fill(NaN),
    kind: new Int32Array(m).fill(-1), code: new Int32Array(m).fill(-1), answers: book(), hows: book(), kinds: book(), codes: book(), places: new Map(), verdicts: new Uint32Array(names.verdicts.length),
  };
  let k = 0;
  items.forEach((item, i) => {
    columns.places.set(item.id, i);
    columns.task[i] = item.task;
    const right = isRead(item) ? rightOf(item) : undefined;
    if (right) columns.right[i] = columns.answers.add(right);
    for (const [name, value] of Object.entries(item.tags || {})) addTag(columns, name, value, i);
    for (const reply of item.replies || []) addReply(columns, k++, item, reply);
    columns.ends[i + 1] = k;
  });
  return columns;
}

function addTag({ tags, n }, name, value, i) {
  if (!tags.has(name)) tags.set(name, { values: book(), one: new Int32Array(n).fill(-1), more: new Map() });
  const tag = tags.get(name);
  for (const each of Array.isArray(value) ? value : [value]) {
    const number = tag.values.add(String(each));
    if (tag.one[i] < 0) tag.one[i] = number;
    else tag.more.set(i, [...(tag.more.get(i) || []), number]);
  }
}

function addReply(columns, k, item, reply) {
  columns.run[k] = reply.run || 0;
  columns.variant[k] = reply.variant || 0;
  columns.verdict[k] = reply.verdict || 0;
  columns.verdicts[columns.verdict[k]] += 1;
  if (reply.how) columns.how[k] = columns.hows.add(reply.how);
  const said = isRead(item) ? saidOf(item, reply) : undefined;
  if (said) columns.chosen[k] = columns.answers.add(said);
  const kind = item.kinds?.[ownPlace(reply, reply.chosen ?? -1)];
  if (kind) columns.kind[k] = columns.kinds.add(kind);
  if (reply.code) columns.code[k] = columns.codes.add(reply.code);
  SCORES.forEach(([, , test], bit) => { if (test(reply)) columns.is[k] |= 1 << bit; });
  if (reply.score !== undefined) columns.score[k] = reply.score;
  if (reply.edits) columns.rate[k] = errorsIn(reply) / Math.max(1, reply.edits[3]);
}

const hasTag = (tag, i, value) => (value === undefined ? tag.one[i] >= 0 : tag.one[i] === value || (tag.more.get(i) || []).includes(value));

// The items of which some reply is wanted, and how many replies are of each verdict whatever verdict is wanted.
//   wanted: item(i), reply(k): whether one is let through by all but the verdict;
//           verdict: of which replies, a flag for each verdict; "differ": items where runs do not agree in a variant
function pick(columns, wanted, nVariants) {
  const { n, ends, run, variant, verdict } = columns;
  const counts = new Uint32Array(columns.verdicts.length), first = new Int32Array(nVariants);
  const found = { items: [], counts, all: 0, differing: 0, replies: 0 };
  for (let i = 0; i < n; i++) {
    if (!wanted.item(i)) continue;
    let mine = 0, matching = 0, apart = false;
    first.fill(-1);
    for (let k = ends[i]; k < ends[i + 1]; k++) {
      if (!wanted.reply(k)) continue;
      mine += 1;
      counts[verdict[k]] += 1;
      if (first[variant[k]] < 0) first[variant[k]] = k;
      else if (verdict[first[variant[k]]] !== verdict[k] && run[first[variant[k]]] !== run[k]) apart = true;
      if (wanted.verdict !== "differ" && wanted.verdict[verdict[k]]) matching += 1;
    }
    if (wanted.verdict === "differ") matching = apart ? mine : 0;
    found.all += mine;
    found.differing += apart ? 1 : 0;
    found.replies += matching;
    if (matching) found.items.push(i);
  }
  return found;
}

// The texts of a book in order, by their numbers: numbers by size, others by the alphabet.
function sorted(found) {
  if (!found.order) {
    const { texts } = found, alphabet = new Intl.Collator("en").compare;
    const numeric = texts.every((text) => text.trim() !== "" && Number.isFinite(Number(text)));
    found.order = texts.map((_, i) => i).sort((a, b) => (numeric ? Number(texts[a]) - Number(texts[b]) : alphabet(texts[a], texts[b])));
  }
  return found.order;
}

function ranksOf(found) {
  const ranks = new Uint32Array(found.texts.length);
  sorted(found).forEach((number, rank) => { ranks[number] = rank; });
  return ranks;
}

// What an item is put in order by: of its replies that are let through the first of all, or their mean; NaN comes last.
function keyOf(columns, sort, tag, passes) {
  const { ends } = columns;
  const over = (look, join) => (i) => {
    let sum = NaN, count = 0;
    for (let k = ends[i]; k < ends[i + 1]; k++) {
      const value = passes(k) ? look(k) : NaN;
      if (!Number.isNaN(value)) { sum = count ? join(sum, value) : value; count += 1; }
    }
    return join === Math.min ? sum : sum / count;
  };
  const sum = (a, b) => a + b;
  const ranked = (ranks, number) => (number < 0 ? NaN : ranks[number]);
  if (sort === "task") return (i) => columns.task[i];
  if (sort === "verdict") return over((k) => columns.verdict[k], Math.min);
  if (sort === "how") { const ranks = ranksOf(columns.hows); return over((k) => ranked(ranks, columns.how[k]), Math.min); }
  if (sort === "tag") { const ranks = ranksOf(tag.values); return (i) => ranked(ranks, tag.one[i]); }
  if (sort === "low") return over((k) => columns.score[k], sum);
  if (sort === "high") return over((k) => -columns.score[k], sum);
  return sort === "fewest" ? over((k) => columns.rate[k], sum) : over((k) => -columns.rate[k], sum);
}

function inOrder(places, key) {
  const keys = new Float64Array(places.length), order = new Uint32Array(places.length);
  places.forEach((place, at) => { const value = key(place); keys[at] = Number.isNaN(value) ? Infinity : value; order[at] = at; });
  order.sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b));
  return Array.from(order, (at) => places[at]);
}
