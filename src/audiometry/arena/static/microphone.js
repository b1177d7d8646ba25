// The microphone: opened with the processing that the arena wants, its level, a recorder whose sound this browser can
// play back. What cannot be done is a Trouble with a name, for which there are words.

const TYPES = ["audio/webm;codecs=opus", "audio/mp4;codecs=opus", "audio/mp4;codecs=mp4a.40.2", "audio/mp4", "audio/ogg;codecs=opus", "audio/webm"];
const BITS = 128_000; // a second
const TRIED = 250, HEARD_WITHIN = 2500; // ms of a tone that is recorded and played back
const SAID = ["sampleRate", "channelCount", "sampleSize", "echoCancellation", "noiseSuppression", "autoGainControl", "latency"];
const NAMES = { NotAllowedError: "denied", SecurityError: "denied", NotFoundError: "nodevice", NotReadableError: "busy", AbortError: "busy", TypeError: "insecure" };

export class Trouble extends Error {
  constructor(name) { super(name); this.name = name; }
}

// Why nothing can be recorded here at all; empty if something can.
export const missing = () => (!window.isSecureContext || !navigator.mediaDevices ? "insecure" : window.MediaRecorder ? "" : "unsupported");

let context = null;
function sounding() {
  context ||= new AudioContext();
  if (context.state === "suspended") context.resume().catch(() => {});
  return context;
}

// The name of each microphone; without permission a browser tells none.
export async function devices() {
  const found = await navigator.mediaDevices.enumerateDevices().catch(() => []);
  return found.filter((one) => one.kind === "audioinput" && one.deviceId && !["default", "communications"].includes(one.deviceId));
}

// Whether sound of a type that is recorded here is played back here: some browsers record what they cannot play.
async function played(type) {
  const blob = await new Promise((ready) => {
    const tone = sounding().createOscillator(), to = sounding().createMediaStreamDestination(), parts = [];
    const recorder = new MediaRecorder(to.stream, { mimeType: type });
    tone.connect(to);
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.onstop = () => { tone.stop(); ready(new Blob(parts, { type })); };
    recorder.onerror = () => ready(new Blob([]));
    tone.start();
    recorder.start();
    setTimeout(() => recorder.state === "inactive" || recorder.stop(), TRIED);
  });
  return blob.size > 0 && plays(URL.createObjectURL(blob));
}

// Whether an address (let go afterwards) has sound that this browser can play.
export function plays(address) {
  return new Promise((said) => {
    const audio = new Audio(), end = (good) => { audio.removeAttribute("src"); URL.revokeObjectURL(address); said(good); };
    audio.onloadeddata = () => end(true);
    audio.onerror = () => end(false);
    setTimeout(() => end(false), HEARD_WITHIN);
    audio.preload = "auto";
    audio.src = address;
  });
}

let chosen = null;
async function choose() {
  const able = TYPES.filter((type) => MediaRecorder.isTypeSupported(type));
  for (const type of able) if (new Audio().canPlayType(type) && await played(type).catch(() => false)) return type;
  throw new Trouble("unsupported");
}

// The type to record in; found out once, which takes a moment and needs a press of a key or button before.
export const type = () => (chosen ||= choose().catch((problem) => { chosen = null; throw problem; }));

// Open the microphone; of `processing` the browser does what it can, and `settings()` tells what it did.
export async function open(device, processing) {
  const why = missing();
  if (why) throw new Trouble(why);
  const audio = { echoCancellation: processing.echo_cancellation, noiseSuppression: processing.noise_suppression, autoGainControl: processing.auto_gain_control, channelCount: 1 };
  const ask = (wanted) => navigator.mediaDevices.getUserMedia({ audio: wanted });
  let stream;
  try {
    stream = await ask(device ? { ...audio, deviceId: { exact: device } } : audio).catch((problem) => {
      if (problem.name === "OverconstrainedError" || (device && problem.name === "NotFoundError")) return ask(audio); // the chosen one is gone
      throw problem;
    });
  } catch (problem) {
    throw new Trouble(NAMES[problem.name] || "busy");
  }
  const [track] = stream.getAudioTracks(), analyser = sounding().createAnalyser(), source = sounding().createMediaStreamSource(stream);
  analyser.fftSize = 2048;
  source.connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  return {
    stream,
    track,
    level() { // dBFS of the highest sample just now; −100 for none
      analyser.getFloatTimeDomainData(samples);
      let peak = 1e-5;
      for (const one of samples) peak = Math.max(peak, Math.abs(one));
      return 20 * Math.log10(peak);
    },
    settings() { // what tells nobody which device it is
      const all = track.getSettings();
      return Object.fromEntries(SAID.filter((name) => name in all).map((name) => [name, all[name]]));
    },
    close() { source.disconnect(); stream.getTracks().forEach((one) => one.stop()); },
  };
}

// Record until `stop`, or until the microphone goes. `kept` is told of all that is there, every second.
export async function record(microphone, { kept, ended }) {
  const mimeType = await type(), parts = [];
  const recorder = new MediaRecorder(microphone.stream, { mimeType, audioBitsPerSecond: BITS });
  const began = await new Promise((on, off) => {
    recorder.onstart = () => on(performance.now());
    recorder.onerror = () => off(new Trouble("busy"));
    recorder.ondataavailable = ({ data }) => {
      if (data.size) parts.push(data);
      if (data.size && recorder.state === "recording") kept(whole());
    };
    if (microphone.track.readyState !== "live") throw new Trouble("gone");
    recorder.start(1000);
  });
  const seconds = () => (performance.now() - began) / 1000;
  const whole = () => new Blob(parts, { type: recorder.mimeType || mimeType });
  let gone = false, lasted = 0;
  microphone.track.addEventListener("ended", () => { gone = true; });
  recorder.onstop = () => ended({ blob: whole(), gone, seconds: lasted || seconds() });
  return { seconds, type: recorder.mimeType || mimeType, stop() { if (recorder.state !== "inactive") { lasted = seconds(); recorder.stop(); } } };
}
