// What a page asks of its server: JSON both ways. What went wrong is a Problem with a line for people, which is empty
// where the server was not reached.

export class Problem extends Error {
  constructor(line, status) { super(line); this.status = status; }
}

export async function ask(name, body) {
  const how = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  let reply, found;
  try {
    reply = await fetch(`/${name}`, how);
    found = await reply.json();
  } catch {
    throw new Problem("", reply ? reply.status : 0);
  }
  if (!reply.ok) throw new Problem(found.error || "", reply.status);
  return found;
}
