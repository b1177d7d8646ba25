// Shortcuts that stay alive wherever one has clicked, the player included, and are silent where one writes.
//
//   shortcuts(find)      find(key) gives what a key does now, or nothing
//
// Letters come in small. A control that has the focus keeps the keys that are its own: Enter and space of a button,
// space and the arrows of a choice.

const WRITES = "textarea, select, input:not([type=radio], [type=checkbox])";
const OWN = { Enter: "button, a[href], summary", " ": "button, summary, input", ArrowLeft: "input, [role=slider]", ArrowRight: "input, [role=slider]" };

export function shortcuts(find) {
  document.addEventListener("keydown", (event) => {
    const at = event.target instanceof Element ? event.target : document.body;
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat || at.closest("dialog")) return;
    if (at.matches(WRITES) || at.isContentEditable) {
      if (event.key === "Escape") at.blur();
      return;
    }
    if (OWN[event.key] && at.matches(OWN[event.key])) return;
    const act = find(event.key.length === 1 ? event.key.toLowerCase() : event.key);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }, true); // before the player's own controls
}
