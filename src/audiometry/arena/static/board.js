// The board of an arena: ratings with their intervals, drawn and in numbers as in the reports, models without a place,
// and how often replies did not come out.

import { ask, Problem } from "/file/ask.js";
import { button, node } from "/file/parts.js";
import { act, announce, show, why } from "/file/stage.js";
import { learn, moment, say, written } from "/file/words.js";

const SVG = "http://www.w3.org/2000/svg", TALL = 30, MEAN = 1000;
const whole = (value) => written(Math.round(value), 0).replace("-", "−");

function drawn(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// An axis around all that is drawn, with three to six round ticks.
function axis(models) {
  const ends = [MEAN, ...models.flatMap((one) => [one.rating, ...(one.interval || [])])].filter((one) => one !== null);
  const least = Math.min(...ends), most = Math.max(...ends), size = Math.max(most - least, 40), low = (least + most - size) / 2;
  const step = [10, 20, 25, 50, 100, 200, 250, 500, 1000, 2500, 5000, 1e4, 1e5, 1e6].find((one) => size / one <= 5) || size / 4;
  const from = Math.floor(low / step) * step, to = Math.ceil((low + size) / step) * step;
  const ticks = Array.from({ length: Math.round((to - from) / step) + 1 }, (_, n) => from + n * step);
  return { ticks, at: (value) => `${(100 * (value - from) / (to - from)).toFixed(2)}%`, from, to };
}

function ticks(x) {
  return node("span", { class: "ticks", "aria-hidden": "true" }, ...x.ticks.map((tick) => { const one = node("span", {}, whole(tick)); one.style.left = x.at(tick); return one; }));
}

function band(one, x) {
  const [low, high] = one.interval || [one.rating, one.rating], middle = TALL / 2;
  const upright = (name, value) => drawn("line", { class: name, x1: x.at(value), x2: x.at(value), y1: 0, y2: TALL });
  return drawn("svg", { class: "plot", width: "100%", height: TALL, overflow: "visible", "aria-hidden": "true", focusable: "false" },
    drawn("g", { class: "grid" }, ...x.ticks.map((tick) => upright("", tick))), upright("chance", MEAN),
    drawn("line", { class: "whisker run-0", x1: x.at(low ?? x.from), x2: x.at(high ?? x.to), y1: middle, y2: middle }),
    drawn("svg", { x: x.at(one.rating), y: middle, width: 1, height: 1, overflow: "visible" }, drawn("path", { class: "mark run-0", d: "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z" })));
}

const interval = (limits) => (limits ? say("board.to", { from: limits[0] === null ? "−∞" : whole(limits[0]), to: limits[1] === null ? "∞" : whole(limits[1]) }) : "–");
const range = ([best, worst]) => (best === worst ? written(best) : say("board.to", { from: best, to: worst }));
const share = (n, of) => (of ? new Intl.NumberFormat(document.documentElement.lang, { style: "percent", maximumFractionDigits: 1 }).format(n / of) : "–");

// Rows under headings, as in the reports; the first cell of a row is its name, `picture` stands after it.
function table(kind, caption, heads, rows, picture = null) {
  const cell = (value, n) => node("td", { "data-label": heads[n + 1].title, class: heads[n + 1].class || false, role: "cell" }, value);
  const column = (one) => node("th", { scope: "col", role: "columnheader", class: one.class === "left" ? "left" : false }, one.title);
  const first = (row) => node("th", { scope: "row", role: "rowheader" }, node("bdi", {}, row[0]));
  return node("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": caption }, node("table", { class: kind, role: "table" },
    node("caption", { class: "visually-hidden" }, caption),
    node("thead", { role: "rowgroup" }, node("tr", { role: "row" }, column(heads[0]), picture ? node("th", { scope: "col", role: "columnheader", class: "drawn" }, node("span", { class: "visually-hidden" }, caption), picture.ticks()) : null, ...heads.slice(1).map(column))),
    node("tbody", { role: "rowgroup" }, ...rows.map((row, k) => node("tr", { role: "row", class: "task" }, first(row), picture ? node("td", { class: "drawn", role: "cell" }, picture.row(k), node("span", { class: "under" }, picture.ticks())) : null, ...row.slice(1).map(cell))))));
}

// How often replies did not come out, in the order of RATES.
const RATES = ["failed", "refused", "empty", "abandoned"];
const rateHeads = () => RATES.map((kind) => ({ title: say(`board.${kind}`) }));
const shares = (its) => RATES.map((kind) => share(its?.[kind] || 0, its?.asked || 0));

function ranked(models, rates) {
  const x = axis(models);
  const heads = [{ title: say("board.model") }, { title: say("board.rating"), class: "main" }, { title: say("board.interval") }, { title: say("board.ranks") }, { title: say("board.battles") }, ...rateHeads()];
  const rows = models.map((one) => [one.model, whole(one.rating), interval(one.interval), range(one.rank_range), written(one.battles), ...shares(rates.get(one.model))]);
  return [table("dense chart", say("board.caption"), heads, rows, { ticks: () => ticks(x), row: (k) => band(models[k], x) }), node("p", { class: "small" }, say("board.rates"))];
}

function unplaced(models, rates) {
  if (!models.length) return [];
  const heads = [{ title: say("board.model") }, { title: say("board.why"), class: "left" }, { title: say("board.battles") }, ...rateHeads()];
  const rows = models.map((one) => [one.model, say(`unplaced.${one.reason}`), written(one.battles), ...shares(rates.get(one.model))]);
  return [node("h2", {}, say("board.unplaced")), table("dense chart", say("board.unplaced"), heads, rows)];
}

// Who beat whom, as votes were given: models in the order of their ratings, then those without a place.
function pairs(its, order) {
  const met = (k) => its.wins[k].some((n, other) => n + its.wins[other][k]);
  const known = (its?.models || []).map((model, k) => ({ model, k })).filter(({ k }) => met(k)).sort((one, other) => order.indexOf(one.model) - order.indexOf(other.model));
  if (known.length < 3) return []; // of two the ratings say it
  const cell = (row, column) => {
    const won = its.wins[row.k][column.k], n = won + its.wins[column.k][row.k];
    return n ? node("span", {}, share(won, n), " ", node("span", { class: "of small" }, say("board.pairs.of", { n }))) : "–";
  };
  const rows = known.map((row) => [row.model, ...known.map((column) => (row === column ? "" : cell(row, column)))]);
  const heads = [{ title: say("board.model") }, ...known.map(({ model }) => ({ title: model }))];
  return [node("h2", {}, say("board.pairs")), node("p", { class: "small" }, say("board.pairs.about")), table("plain dense wide pairs", say("board.pairs.caption"), heads, rows)];
}

// Votes that rules have set apart, which are in no rating, by reason.
function apart(its) {
  const some = Object.entries(its?.left_out ? its.votes : {}).filter(([, n]) => n > 0);
  if (!some.length) return [];
  const n = some.reduce((sum, [, one]) => sum + one, 0);
  return [node("p", { class: "small", id: "apart" }, say("board.apart", { n }), " ", some.map(([reason, one]) => `${say(`apart.${reason}`)} (${written(one)})`).join(", "), ".")];
}

function notes(warnings) {
  if (!warnings?.length) return [];
  return [node("h2", {}, say("board.notes")), node("ul", { class: "small" }, ...warnings.map((one) => node("li", {}, one)))];
}

async function look(again = false) {
  let found;
  try { found = await ask("board", {}); } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    return show("away", [node("h1", {}, say("board.title")), node("p", { class: "lead" }, why(problem)), node("div", { class: "acts" }, button(say("again"), () => look(true), { main: true, id: "again" }))]);
  }
  const { models, votes, at, warnings } = found, rates = new Map((found.rates || []).map((one) => [one.model, one]));
  const without = [...(found.unplaced || [])], met = new Set([...models, ...without].map((one) => one.model));
  for (const model of rates.keys()) if (!met.has(model)) without.push({ model, reason: "no votes", battles: 0 });
  show("board", [
    node("h1", {}, say("board.title")), node("p", { class: "lead" }, say("board.about")),
    node("p", { class: "small", id: "votes" }, say("board.votes", { n: votes }), " · ", at ? say("board.at", { at: moment(at) }) : "", " ", act("board.refresh", () => look(true), { light: true })),
    ...(models.length ? ranked(models, rates) : [node("p", { class: "notice" }, say("board.none"))]),
    ...unplaced(without, rates), ...pairs(found.matrix, [...models, ...without].map((one) => one.model)), ...apart(found.set_apart), ...notes(warnings),
  ]);
  brand(found.title);
  if (again) announce(say("board.votes", { n: votes }));
  return null;
}

// Of whose arena it is.
function brand(title) {
  document.title = [say("board.title"), title].filter(Boolean).join(" · ");
  document.querySelector(".brand > span").textContent = title || say("board.title");
}

await learn();
document.title = say("board.title");
document.querySelector(".skip").textContent = say("skip");
document.querySelector(".bar").append(node("p", { class: "brand" }, node("img", { src: "/file/icon.svg", alt: "" }), node("span", {}, say("board.title"))),
  node("nav", { class: "acts" }, node("a", { class: "button light", href: "/" }, say("board.back"))));
await look();
document.documentElement.dataset.ready = "";
