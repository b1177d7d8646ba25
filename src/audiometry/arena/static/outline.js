// The outline of a recording: bars that come as one speaks, and the whole of it afterwards, with what was played darker.

const BAR = 3, GAP = 2; // px
const calm = matchMedia("(prefers-reduced-motion: reduce)"), dark = matchMedia("(prefers-color-scheme: dark)");
const MOST = 40e6; // bytes that are decoded to be looked at

export const still = () => calm.matches;

function pen(canvas) {
  const box = canvas.getBoundingClientRect(), times = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(box.width * times));
  canvas.height = Math.max(1, Math.round(box.height * times));
  const found = canvas.getContext("2d");
  found.scale(times, times);
  return [found, box.width, box.height, getComputedStyle(canvas)];
}

function bar(found, x, height, size) {
  const tall = Math.max(2, size * (height - 4));
  found.beginPath();
  found.roundRect(x, (height - tall) / 2, BAR, tall, BAR / 2);
  found.fill();
}

export const bars = (canvas) => Math.max(1, Math.floor(canvas.getBoundingClientRect().width / (BAR + GAP)));

// Sizes from 0 to 1, the last at the right; those before `played` (0 to 1) in the colour of what was heard.
export function draw(canvas, sizes, played = 0) {
  const [found, width, height, style] = pen(canvas), from = width - sizes.length * (BAR + GAP);
  sizes.forEach((size, n) => {
    found.fillStyle = n < played * sizes.length ? style.getPropertyValue("--accent") : style.getPropertyValue("--soft");
    bar(found, Math.max(0, from) + n * (BAR + GAP), height, size);
  });
}

export const sized = (decibels) => Math.max(0, Math.min(1, (decibels + 54) / 54));

// The sizes of a recording's bars, and its seconds; null where it cannot be decoded.
async function decoded(bytes, n) {
  if (bytes.byteLength > MOST) return null;
  const heard = await new OfflineAudioContext(1, 1, 48_000).decodeAudioData(bytes).catch(() => null);
  if (!heard?.length) return null;
  const samples = heard.getChannelData(0), step = samples.length / n;
  const sizes = Array.from({ length: n }, (_, k) => {
    let peak = 1e-5;
    for (let i = Math.floor(k * step); i < (k + 1) * step && i < samples.length; i++) peak = Math.max(peak, Math.abs(samples[i]));
    return sized(20 * Math.log10(peak));
  });
  return { sizes, seconds: heard.duration };
}

// A recording to hear: its outline over the browser's own player, which can be sought in. `bytes` gives its file.
export async function follow(canvas, audio, bytes) {
  const found = await bytes().then((all) => decoded(all, bars(canvas))).catch(() => null);
  if (!found) { canvas.hidden = true; return; }
  const { sizes, seconds } = found; // a player knows no length of what a browser records
  const again = () => canvas.isConnected && draw(canvas, sizes, audio.currentTime / seconds);
  const frame = () => { again(); if (!audio.paused && canvas.isConnected && !still()) requestAnimationFrame(frame); };
  for (const name of ["timeupdate", "seeked", "ended"]) audio.addEventListener(name, again);
  audio.addEventListener("play", frame);
  dark.addEventListener("change", again);
  new ResizeObserver(again).observe(canvas);
  canvas.addEventListener("click", (event) => { audio.currentTime = event.offsetX / canvas.clientWidth * seconds; });
  again();
}
