// A form drawn from data: what is shown, and fields to choose, tick or write in. See audiometry.review.form.
//
//   drawn(form, { words, changed, send })
//
// Returns { shown, fields, said(), fill(said), act(key), missing() }: two elements, the answer as it stands, and what a
// key does. Texts from outside become text nodes and nothing else.

export function node(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) if (value !== false && value !== undefined) made.setAttribute(name, value === true ? "" : value);
  made.append(...children.filter((one) => one !== null && one !== undefined && one !== ""));
  return made;
}

export const key = (name) => node("kbd", { "aria-hidden": "true" }, name === " " ? "space" : name.length === 1 ? name.toUpperCase() : name);

function options(list, words) {
  return node("ol", { class: "options" }, ...list.map((one) => node("li", { class: one.right ? "right" : false },
    one.mark ? node("span", { class: "mark" }, one.mark) : null, node("bdi", { class: "text" }, one.text),
    one.right ? node("span", { class: "tick" }, `✓ ${words.right}`) : null)));
}

function shownPart(part, words, first) {
  const title = part.title ? node("p", { class: "eyebrow" }, node("bdi", {}, part.title)) : null;
  if (part.kind === "question") return node("div", { class: "question" }, title, node("h1", { tabindex: "-1" }, node("bdi", {}, part.text || part.title || words.title)));
  if (part.kind === "options") return node("div", {}, title, options(part.options, words));
  if (part.kind === "more") return node("details", { class: "more" }, node("summary", {}, part.title || words.more), node("p", { class: "whole", dir: "auto", tabindex: "0" }, part.text));
  return node("figure", { class: "reply" }, node("figcaption", {}, part.title), node("blockquote", { dir: "auto", tabindex: "0" }, part.text));
}

// Short words stand side by side, texts below each other.
function looks(choices) {
  const longest = Math.max(...choices.map((one) => (one.foreign || one.about ? Infinity : one.text.length)));
  return longest > 12 ? "listed" : longest > 2 ? "short" : "marks";
}

export function drawn(form, { words, changed, send }) {
  const groups = new Map(), values = new Map(); // by field: its element; what reads and puts its value
  const value = (name) => values.get(name).get();
  const asked = (field) => !field.when || field.when.values.includes(value(field.when.field));
  const open = () => form.fields.forEach((field) => { groups.get(field.name).hidden = !asked(field); });

  function choice(field, option, n) {
    const id = `${field.name}-${n}`, many = field.kind === "many";
    const input = node("input", { type: many ? "checkbox" : "radio", name: field.name, id, value: option.value });
    input.addEventListener("change", () => {
      if (many && input.checked) for (const other of input.closest("fieldset").querySelectorAll("input")) {
        if (other !== input && (option.alone || field.options[Number(other.dataset.at)].alone)) other.checked = false;
      }
      update();
      if (option.sends && input.checked) send();
    });
    input.dataset.at = n;
    const text = option.foreign ? node("bdi", { class: "text" }, option.text) : node("span", { class: "text" }, option.text, option.about ? node("span", { class: "of-it" }, option.about) : null);
    return node("label", { class: `choice${option.alone ? " alone-of" : ""}`, for: id }, input, option.mark ? node("span", { class: "mark" }, option.mark) : null, text, option.key ? key(option.key) : null);
  }

  function drawnField(field) {
    if (field.kind === "text") {
      const area = node("textarea", { id: field.name, rows: "1", maxlength: "10000", dir: "auto" });
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
  form.fields.forEach((field) => { const made = drawnField(field); groups.set(field.name, made); fields.append(made); });
  open();

  const said = () => Object.fromEntries(form.fields.filter(asked).map((field) => [field.name, value(field.name)]));
  return {
    shown: node("div", { class: "shown" }, ...form.shown.map((part) => shownPart(part, words))),
    fields,
    said,
    fill(given) {
      for (const field of form.fields) if (field.name in given) values.get(field.name).set(given[field.name]);
      open();
    },
    missing: () => form.fields.find((field) => asked(field) && field.needed && !value(field.name).length)?.title || "",
    act(pressed) {
      for (const field of form.fields.filter(asked)) {
        const n = (field.options || []).findIndex((one) => one.key === pressed);
        if (n >= 0) return () => groups.get(field.name).querySelectorAll("input")[n].click();
      }
      return null;
    },
    sendsAlone: form.fields.length === 1 && form.fields[0].kind === "one" && form.fields[0].options.every((one) => one.sends),
  };
}
