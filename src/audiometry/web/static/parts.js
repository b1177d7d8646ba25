// Parts of every page that people say things on: an element of texts and attributes, a button with its key, a dialog.
// Texts from outside become text nodes and nothing else.

export function node(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) if (value !== false && value !== undefined) made.setAttribute(name, value === true ? "" : value);
  made.append(...children.filter((one) => one !== null && one !== undefined && one !== ""));
  return made;
}

const KEYS = { " ": "space", Escape: "Esc" };
export const key = (name) => node("kbd", { "aria-hidden": "true" }, KEYS[name] || (name.length === 1 ? name.toUpperCase() : name));

export function button(text, act, { main = false, light = false, pressed = "", id = undefined } = {}) {
  const made = node("button", { type: "button", id, "aria-keyshortcuts": pressed || false, class: `button${main ? " main" : ""}${light ? " light" : ""}` }, text, pressed ? key(pressed) : null);
  made.addEventListener("click", act);
  return made;
}

// A dialog that the key which opened it closes too; `close` is the word on its button.
export function dialog(title, close, pressed, ...inside) {
  const made = node("dialog", { "aria-labelledby": "titled" }, node("h2", { id: "titled" }, title), ...inside);
  made.append(button(close, () => made.close(), { light: true }));
  made.addEventListener("close", () => made.remove());
  made.addEventListener("keydown", (event) => { if (event.key === pressed) { event.preventDefault(); made.close(); } });
  document.body.append(made);
  made.showModal();
  return made;
}
