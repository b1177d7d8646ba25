// What a page asks of its server: JSON both ways, or a Blob as it is. What went wrong is a Problem with a line for
// people, which is empty where the server was not reached, and with `after`, the seconds that it asks one to wait.
// Where a study has something else for whoever asks, the browser goes there.

export class Problem extends Error {
  constructor(line, status, after = 0) { super(line); this.status = status; this.after = after; }
}

export async function ask(name, body, headers = {}) {
  const raw = body instanceof Blob, type = raw ? body.type || "application/octet-stream" : "application/json";
  const how = body === undefined ? {} : { method: "POST", headers: { "content-type": type, ...headers }, body: raw ? body : JSON.stringify(body) };
  let reply, found;
  try {
    reply = await fetch(`/${name}`, how);
    found = await reply.json();
  } catch {
    throw new Problem("", reply && !reply.ok ? reply.status : 0);
  }
  if (found.study && reply.status === 403) {
    location.assign(found.study);
    return new Promise(() => {});
  }
  if (!reply.ok) throw new Problem(found.error || "", reply.status, Number(reply.headers.get("retry-after")) || 0);
  return found;
}
