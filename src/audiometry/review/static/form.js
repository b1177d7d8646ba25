// A form drawn from data: what is shown, and fields to choose, tick or write in. See audiometry.review.form.
//
//   drawn(form, { words, changed, send, held })
//
// Returns { shown, fields, said(), all(), fill(said), act(key), missing(), keys() }: two elements; the answer as it
// stands, and with what is written in fields that are not asked for now; what a key does; the title of the first field
// that is still empty, which gets the focus; the keys that there are. `held` is told where a choice that sends does not,
// since something else has been said.

import { key, node } from "/file/parts.js";

function options(list, words) {
  return node("ol", { class: "options" }, ...list.map((one) => node("li", { class: one.right ? "right" : false },
    one.mark ? node("span", { class: "mark" }, one.mark) : null, node("bdi", { class: "text" }, one.text),
    one.right ? node("span", { class: "tick" }, `✓ ${words.right}`) : null)));
}

function shownPart(part, words, first) {
  const title = part.title ? node("p", { class: "eyebrow" }, node("bdi", {}, part.title)) : null;
  if (part.kind === "question") return node("div", { class: "question" }, title, node("h1", { tabindex: "-1", dir: "auto", class: part.text?.length > 200 ? "long" : false }, node("bdi", {}, part.text || part.title || words.title)));
  if (part.kind === "options") return node("div", {}, title, options(part.options, words));
  if (part.kind === "more") return node("details", { class: "more" }, node("summary", {}, part.title || words.more), node("p", { class: "whole", dir: "auto", tabindex: "0" }, part.text));
  return node("figure", { class: "reply" }, node("figcaption", {}, part.title), node("blockquote", { dir: "auto", tabindex: "0" }, part.text));
}

// Short words stand side by side, texts below each other.
function looks(choices) {
  const longest = Math.max(...choices.map((one) => (one.foreign || one.about ? Infinity : one.text.length)));
  return longest > 12 ? "listed" : longest > 2 ? "short" : "marks";
}

export function drawn(form, { words, changed, send, held }) {
  const groups = new Map(), values = new Map(); // by field: its element; what reads and puts its value
  const follow = []; // elements that show what is written elsewhere, and their options
  const value = (name) => values.get(name).get();
  const asked = (field) => !field.when || field.when.values.includes(value(field.when.field));
  const all = () => Object.fromEntries(form.fields.map((field) => [field.name, value(field.name)]));
  const more = (but) => form.fields.some(({ name }) => name !== but && String(value(name)) !== String(blank[name]));
  let moving = false; // by arrows among choices, which is not yet to choose

  function open() {
    form.fields.forEach((field) => { groups.get(field.name).hidden = !asked(field); });
    for (const [text, option] of follow) text.textContent = value(option.follows) || option.text;
  }

  function choice(field, option, n) {
    const id = `${field.name}-${n}`, many = field.kind === "many";
    const input = node("input", { type: many ? "checkbox" : "radio", name: field.name, id, value: option.value, "aria-keyshortcuts": option.key || false });
    input.addEventListener("click", () => { // by mouse, key or arrow, also of what is chosen already
      if (many && input.checked) for (const other of input.closest("fieldset").querySelectorAll("input")) {
        if (other !== input && (option.alone || field.options[Number(other.dataset.at)].alone)) other.checked = false;
      }
      update();
      if (option.sends && !moving) (more(field.name) ? held : send)();
    });
    input.dataset.at = n;
    const text = option.foreign ? node("bdi", { class: "text" }, option.text) : node("span", { class: "text" }, option.text, option.about ? node("span", { class: "of-it" }, option.about) : null);
    if (option.follows) follow.push([text, option]);
    return node("label", { class: `choice${option.alone ? " alone-of" : ""}`, for: id }, input, option.mark ? node("span", { class: "mark" }, option.mark) : null, text, option.key ? key(option.key) : null);
  }

  function drawnField(field) {
    if (field.kind === "text") {
      const area = node("textarea", { id: field.name, rows: "1", maxlength: "10000", dir: "auto", "data-line": field.line });
      area.value = field.start || "";
      area.addEventListener("input", update);
      values.set(field.name, { get: () => area.value, set: (to) => { area.value = to; } });
      return node("div", { class: "field" }, node("label", { for: field.name }, field.title), area);
    }
    const set = node("fieldset", { class: `field ${looks(field.options)}` }, node("legend", {}, field.title),
      node("div", { class: "choices" }, ...field.options.map((option, n) => choice(field, option, n))));
    const boxes = [...set.querySelectorAll("input")];
    const chosen = () => boxes.filter((one) => one.checked).map((one) => one.value);
    const put = (to) => boxes.forEach((one) => { one.checked = [].concat(to).includes(one.value); });
    values.set(field.name, { get: () => (field.kind === "many" ? chosen() : chosen()[0] || ""), set: put });
    if (field.start) put(field.start);
    return set;
  }

  function update() {
    open();
    changed();
  }

  const fields = node("div", { class: "fields" });
  fields.addEventListener("keydown", (event) => { moving = event.key.startsWith("Arrow"); });
  for (const name of ["keyup", "pointerdown"]) fields.addEventListener(name, () => { moving = false; });
  form.fields.forEach((field) => { const made = drawnField(field); groups.set(field.name, made); fields.append(made); });
  const blank = all();
  open();

  const said = () => Object.fromEntries(form.fields.filter(asked).map((field) => [field.name, value(field.name)]));
  return {
    shown: node("div", { class: "shown" }, ...form.shown.map((part) => shownPart(part, words))),
    fields,
    said,
    all,
    fill(given) {
      for (const field of form.fields) if (field.name in given) values.get(field.name).set(given[field.name]);
      open();
    },
    missing() {
      const field = form.fields.find((one) => asked(one) && one.needed && !value(one.name).length);
      if (field) groups.get(field.name).querySelector("input, textarea").focus();
      return field?.title || "";
    },
    keys: () => form.fields.filter(asked).flatMap((field) => field.options || []).filter((one) => one.key),
    act(pressed) {
      for (const field of form.fields.filter(asked)) {
        const n = (field.options || []).findIndex((one) => one.key === pressed);
        if (n >= 0) return () => {
          moving = false;
          groups.get(field.name).querySelectorAll("input")[n].click();
          const next = form.fields.find((one) => one.when?.field === field.name && asked(one)); // which this one opens
          if (next?.kind === "text") groups.get(next.name).querySelector("textarea").focus();
        };
      }
      return null;
    },
  };
}
