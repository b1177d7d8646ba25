// What this browser keeps until the server has it, so that a reload or a lost connection costs nothing: for this tab
// words and numbers, and the sound that was not sent yet. What other tabs left is removed when it is a day old.

const HOURS = 24, NAME = "audiometry-arena";

export const tab = {
  read(name) { try { return JSON.parse(sessionStorage.getItem(`${NAME} ${name}`)); } catch { return null; } },
  write(name, value) { try { sessionStorage.setItem(`${NAME} ${name}`, JSON.stringify(value)); } catch { /* full, or not allowed */ } },
  drop(name) { try { sessionStorage.removeItem(`${NAME} ${name}`); } catch { /* not allowed */ } },
  forget() { try { sessionStorage.clear(); } catch { /* not allowed */ } },
};

export const browser = {
  read(name) { try { return localStorage.getItem(`${NAME} ${name}`); } catch { return null; } },
  write(name, value) { try { localStorage.setItem(`${NAME} ${name}`, value); } catch { /* full, or not allowed */ } },
};

const id = () => {
  if (!tab.read("tab")) tab.write("tab", `${Date.now()} ${Math.random()}`);
  return tab.read("tab") || "";
};

const done = (request) => new Promise((good, bad) => { request.onsuccess = () => good(request.result); request.onerror = () => bad(request.error); });

async function sounds(mode, act) {
  try {
    const opening = indexedDB.open(NAME, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("sounds");
    const base = await done(opening);
    try { return await act(base.transaction("sounds", mode).objectStore("sounds")); } finally { base.close(); }
  } catch { return null; } // not allowed, or full: then what is in memory is all
}

export const sound = {
  read: () => sounds("readonly", (store) => done(store.get(id()))),
  write: (blob, told) => sounds("readwrite", (store) => done(store.put({ blob, told, at: Date.now() }, id()))),
  drop: () => sounds("readwrite", (store) => done(store.delete(id()))),
  forget: () => sounds("readwrite", (store) => done(store.clear())),
  tidy: () => sounds("readwrite", async (store) => {
    const keys = await done(store.getAllKeys()), all = await done(store.getAll());
    all.forEach((one, n) => { if (Date.now() - one.at > HOURS * 3600e3) store.delete(keys[n]); });
  }),
};
