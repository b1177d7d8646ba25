// Buttons that copy a table or save a figure, made of the data beside each: without a script there are none.
{
  const status = document.createElement("p");
  status.className = "visually-hidden";
  status.setAttribute("role", "status");

  const copied = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = Object.assign(document.createElement("textarea"), { value: text, className: "copy-area" });
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  };

  const save = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  };

  const png = (svg) => new Promise((resolve, reject) => {
    const picture = new Image();
    picture.onload = () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [2 * picture.naturalWidth, 2 * picture.naturalHeight];
      canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("not drawn"))), "image/png");
    };
    picture.onerror = () => reject(new Error("not read"));
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  });

  for (const data of document.querySelectorAll("script.copies")) {
    const block = JSON.parse(data.textContent);
    const group = document.createElement("p");
    group.className = "copy";
    const add = (word, does, done) => {
      const button = document.createElement("button");
      const of = Object.assign(document.createElement("span"), { className: "visually-hidden", textContent: `: ${block.caption}` });
      button.type = "button";
      button.append(word, of);
      button.addEventListener("click", async () => {
        status.textContent = "";
        const said = await does().then((fine) => (fine ? done : "It could not be copied"), () => "It could not be saved");
        status.textContent = said;
        button.dataset.said = said;
        setTimeout(() => delete button.dataset.said, 2000);
      });
      group.append(button);
    };
    if (block.copy) group.append("Copy");
    for (const [form, text] of Object.entries(block.copy || {})) add(form, () => copied(text), `Copied as ${form}`);
    if (block.save) {
      group.append("Save");
      add("SVG", async () => (save(new Blob([block.save], { type: "image/svg+xml" }), `${block.name}.svg`), true), "Saved as SVG");
      add("PNG", async () => (save(await png(block.save), `${block.name}.png`), true), "Saved as PNG");
    }
    data.replaceWith(group);
  }
  (document.querySelector("main") || document.body).append(status);
}
