// The items of the page, which are in it or, where they are many, in files beside it that are read when needed:
//   loadItems()     a promise of all items with what lists and filters need: whole ones where they are in the page,
//                   else `brief` ones (see rows.py), without what only the open panel shows
//   itemAt(i)       a promise of the whole item at that place in the list
//   eachItem(look)  calls look(item, i) for every whole item in order, such as for a search; a promise of the end
//   clipEntries     of the items' clips, by number; those of items in files are there once their item is
// A page that was opened from a disk may fetch nothing: a file beside it is a script that hands over its text. From a web
// server its text is fetched, and runs as nothing.

const pieces = document.getElementById("pieces") ? read("pieces") : null; // { folder, brief: [file], whole: [[file, first item]] }
const clipEntries = [];
let embedded = null; // all items that are in the page, once they were read
const handed = new Map(); // by script that is under way: who takes its text
const parsed = new Map(); // pieces that were read last, by file
const PARSED = 3;

window.audiometryPiece = (text) => handed.get(document.currentScript)?.(text);

const notOurs = (file) => new Error(`${file} in the folder ${pieces.folder}/ is not as it was written with this page. Copy that folder again, whole.`);

const notThere = (file) => new Error(`The items are in the folder ${pieces.folder}/ beside this page, and ${file} is not there. Copy that folder too, as it was written with the page.`);

async function fetchPiece(file) {
  const answer = await fetch(`${encodeURIComponent(pieces.folder)}/${file}`).catch(() => null);
  if (!answer?.ok) throw notThere(file);
  const [, text] = /^audiometryPiece\('(.*)'\);\n$/.exec(await answer.text()) || [];
  try { return JSON.parse(text.replace(/\\(['\\])/g, "$1")); } catch { throw notOurs(file); }
}

function readPiece(file) {
  if (location.protocol.startsWith("http")) return fetchPiece(file);
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    const end = () => { handed.delete(script); script.remove(); };
    const lost = () => { end(); reject(notThere(file)); };
    handed.set(script, (text) => { end(); try { resolve(JSON.parse(text)); } catch { reject(notOurs(file)); } });
    script.addEventListener("error", lost);
    script.addEventListener("load", () => { if (handed.has(script)) lost(); });
    script.src = `${encodeURIComponent(pieces.folder)}/${file}`;
    document.head.append(script);
  });
}

// The items of a file that begins with the given one: those of the list, and no others.
function wholePiece([file, first]) {
  const found = parsed.get(file) || readPiece(file).then((piece) => {
    const [, end] = pieces.whole.find(([, start]) => start > first) || [file, items.length];
    if (piece?.items?.length !== end - first || piece.items.some((item, k) => item.id !== items[first + k].id)) throw notOurs(file);
    Object.assign(clipEntries, piece.clips);
    return piece.items;
  });
  parsed.delete(file); // the last that was asked for comes last
  parsed.set(file, found);
  found.catch(() => parsed.delete(file));
  if (parsed.size > PARSED) parsed.delete(parsed.keys().next().value);
  return found;
}

async function loadItems() {
  if (!pieces) {
    Object.assign(clipEntries, read("clips"));
    return (embedded = read("items"));
  }
  const found = [];
  for (const file of pieces.brief) {
    const some = await readPiece(file);
    if (!Array.isArray(some)) throw notOurs(file);
    for (const item of some) found.push(item);
  }
  return found;
}

async function itemAt(i) {
  if (embedded) return embedded[i];
  const piece = pieces.whole.findLast(([, start]) => start <= i);
  return (await wholePiece(piece))[i - piece[1]];
}

async function eachItem(look) {
  if (embedded) return embedded.forEach(look);
  for (const piece of pieces.whole) (await wholePiece(piece)).forEach((item, k) => look(item, piece[1] + k));
}
