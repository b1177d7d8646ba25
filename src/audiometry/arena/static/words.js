// Every word that the page says, out of one table: words.en.json; another language is one file beside it.
//
//   await learn(["de", "en"])           the languages there are; takes the first that this browser asks for
//   say("limit", { n: 30 })             a text; forms by number (one, other, …) are chosen by n, numbers written as the language does

import { ask } from "/file/ask.js";

let table = {}, english = {};

const read = (language) => ask(`file/words.${language}.json`);

export async function learn(languages = ["en"]) {
  if (!english.language) english = await read("en");
  const wanted = navigator.languages.map((one) => one.toLowerCase().split("-")[0]).find((one) => languages.includes(one)) || "en";
  table = wanted === "en" ? english : { ...english, ...await read(wanted) };
  document.documentElement.lang = table.language;
  document.documentElement.dir = table.direction;
}

export const written = (value, digits = 2) => (typeof value === "number" ? new Intl.NumberFormat(table.language, { maximumFractionDigits: digits }).format(value) : String(value));

export function say(name, values = {}) {
  let text = table[name];
  if (text === undefined) return name;
  if (typeof text === "object") text = text[new Intl.PluralRules(table.language).select(values.n)] || text.other;
  return text.replace(/\{(\w+)\}/g, (_, one) => written(values[one]));
}

export const moment = (iso) => new Intl.DateTimeFormat(table.language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(iso));
