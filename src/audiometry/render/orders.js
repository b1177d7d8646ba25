// Rows of a table in another order (Table.orders): <table data-orders="benchmark score"> and on each row its place in
// each of them, <tr data-places="0 3">. The order is part of the page's address, as #ID?order=score, where ID is that of
// the section; it is kept until the address becomes another.
{
  function orders(table) {
    const names = table.dataset.orders.split(" "), body = table.tBodies[0], place = table.closest("section[id]");
    const line = document.createElement("p");
    line.className = "orders";
    line.append("Order of ");
    const buttons = names.map((name, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.onclick = () => {
        put(at);
        try { // some browsers refuse that in a file
          history.replaceState(null, "", `#${place.id}?order=${name}`);
        } catch { /* the rows are in order all the same */ }
      };
      line.append(button, " ");
      return button;
    });

    function put(at) {
      const rows = [...body.rows].map((row) => [Number(row.dataset.places.split(" ")[at]), row]);
      body.append(...rows.sort(([one], [other]) => one - other).map(([, row]) => row));
      buttons.forEach((button, number) => button.setAttribute("aria-pressed", number === at));
    }

    function follow() {
      const [, id, name] = location.hash.match(/^#([\w-]+)\?order=(\w+)$/) || [];
      if (!place || id !== place.id || !names.includes(name)) return false;
      put(names.indexOf(name));
      place.scrollIntoView();
      return true;
    }

    table.closest(".scroll").before(line);
    if (!follow()) put(0);
    addEventListener("hashchange", follow);
  }

  for (const table of document.querySelectorAll("table[data-orders]")) orders(table);
}
