// Shortcuts that stay alive wherever one has clicked, the player included, and are silent where one writes.
//
//   shortcuts(find)      find(key) gives what a key does now, or nothing
//
// Letters come in small. A control that has the focus keeps the keys that are its own: Enter and space of a button,
// space and the arrows of a choice. Of a field that is written in, Ctrl+Enter is a shortcut, and Enter where it has one
// line (data-line).

const WRITES = "textarea, select, input:not([type=radio], [type=checkbox])";
const OWN = { Enter: "button, a[href], summary", " ": "button, summary, input", ArrowLeft: "input, [role=slider]", ArrowRight: "input, [role=slider]" };

export function shortcuts(find) {
  document.addEventListener("keydown", (event) => {
    const at = event.target instanceof Element ? event.target : document.body;
    if (event.altKey || event.isComposing || (event.repeat && !event.key.startsWith("Arrow")) || at.closest("dialog")) return;
    const writes = at.matches(WRITES) || at.isContentEditable, control = event.ctrlKey || event.metaKey;
    if (writes && event.key === "Escape") at.blur();
    if (writes ? event.key !== "Enter" || !(control || at.matches("[data-line]")) : control) return;
    if (OWN[event.key] && at.matches(OWN[event.key])) return;
    const act = find(event.key.length === 1 ? event.key.toLowerCase() : event.key);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }, true); // before the player's own controls
}
