// One's own data: the personal code, and to have everything deleted that is kept under one.

import { ask } from "/file/ask.js";
import { sound, tab } from "/file/kept.js";
import { button, dialog, node } from "/file/parts.js";
import { why } from "/file/stage.js";
import { say } from "/file/words.js";

export function data(gone) {
  const mine = node("p", { role: "status", id: "data-code" }), said = node("p", { role: "status", id: "data-said" }), field = node("input", { type: "text", id: "code", autocomplete: "off", spellcheck: "false", maxlength: "100" });
  const sure = node("div", { class: "acts" }), start = node("div", { class: "acts" }, node("button", { class: "button", id: "data-delete" }, say("data.delete")));
  const form = node("form", {}, node("label", { for: "code" }, say("data.delete.label")), field, start, said, sure);
  const tried = async (work) => { try { await work(); } catch (problem) { said.textContent = why(problem); } };
  const show = () => tried(async () => {
    const { code } = await ask("code", {}), word = node("strong", { class: "code" }, code);
    const copy = button(say("data.copy"), async () => {
      try { await navigator.clipboard.writeText(code); copy.textContent = say("data.copied"); } catch { getSelection().selectAllChildren(word); }
    }, { light: true, id: "data-copy" });
    mine.replaceChildren(node("span", { class: "coded" }, node("span", { class: "small" }, say("data.code")), " ", word, " ", copy), node("span", { class: "small" }, say("data.keep")));
    showing.remove();
    copy.focus();
    field.value = code;
  });
  const remove = () => tried(async () => {
    const counts = await ask("delete", { code: field.value.trim() });
    await sound.forget();
    tab.forget();
    form.remove();
    mine.textContent = say("data.deleted", counts);
    made.addEventListener("close", gone);
    made.querySelector(":scope > .button:last-child").focus(); // its own is gone
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    said.textContent = field.value.trim() ? say("data.sure") : say("data.missing");
    if (!field.value.trim()) return field.focus();
    const back = () => { sure.replaceChildren(); start.hidden = false; };
    const yes = button(say("data.sure.yes"), () => { back(); remove(); }, { main: true, id: "data-sure" });
    yes.classList.add("grave");
    sure.replaceChildren(yes, button(say("data.sure.no"), () => { back(); said.textContent = ""; field.focus(); }));
    start.hidden = true;
    return yes.focus();
  });
  const showing = button(say("data.show"), show, { id: "data-show" });
  const made = dialog(say("data.title"), say("close"), "", node("p", {}, say("data.about")), showing, mine, form);
}
