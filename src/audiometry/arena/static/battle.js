// A battle: two models answer, one says in one's own words what makes the difference, votes, and sees who they were.

import { ask } from "/file/ask.js";
import { tab } from "/file/kept.js";
import { button, key, node } from "/file/parts.js";
import { act, announce, main, more, once, problems, show } from "/file/stage.js";
import { say } from "/file/words.js";

const KEYS = { model_a: "a", model_b: "b", tie: "t", both_bad: "x", skip: "s" };
const CALM = 15; // seconds between two lines that say that it still takes
const PATIENCE = 40_000; // ms for an answer of the server, which takes up to 25 s until it says "not yet"
const RESTS = [1, 2, 4, 8, 10]; // seconds between tries where it does not answer
const pause = (seconds, signal) => new Promise((on) => { const timer = setTimeout(on, 1000 * seconds); signal.addEventListener("abort", () => { clearTimeout(timer); on(); }); });

// Lines of JSON as they come.
async function lines(reply, each) {
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    const all = (rest + (value || "")).split("\n");
    rest = done ? "" : all.pop();
    for (const line of all) if (line.trim()) each(JSON.parse(line));
    if (done) return;
  }
}

// What was asked, to read or to hear again.
function question({ query }) {
  if (!query.text && !query.href) return ""; // it was deleted
  if (query.text) return node("figure", { class: "asked" }, node("figcaption", { class: "eyebrow" }, say("question")), node("blockquote", { dir: "auto" }, query.text));
  const audio = node("audio", { controls: true, preload: "metadata", src: query.href, "aria-label": say("question.mine") });
  return node("figure", { class: "asked" }, node("figcaption", { class: "eyebrow" }, say("question")), audio);
}

const toggle = () => { const audio = main.querySelector("audio"); if (audio?.paused) audio.play().catch(() => {}); else audio?.pause(); };

function answers(battle) {
  const card = (side) => node("section", { class: "sheet answer", id: `answer-${side}`, "aria-labelledby": `name-${side}` },
    node("h2", { id: `name-${side}` }, say(`answer.${side}`)),
    battle[side] ? node("p", { class: "text", dir: "auto" }, battle[side]) : node("p", { class: "coming" }, node("span", { class: "dots", "aria-hidden": "true" }), say("answer.coming")));
  return node("div", { class: "answers" }, card("a"), card("b"));
}

export function battling({ settings, progress, next, refused }) {
  // Wait for both; the server says when, and a lost connection is found again.
  function waiting(battle) {
    const ending = new AbortController(), since = performance.now(), hint = node("p", { class: "notice", hidden: true, id: "lost" }, say("waiting.away"));
    const box = answers(battle);
    box.setAttribute("aria-busy", "true");
    show("waiting", [
      ...head(), node("h1", {}, say("waiting.title")), node("p", { class: "lead" }, say("waiting.about")), hint, question(battle), box,
    ], { keys: { p: toggle }, leave: () => { ending.abort(); clearInterval(calm); } });
    const calm = setInterval(() => announce(say("waiting.still", { n: Math.round((performance.now() - since) / 1000) })), CALM * 1000);
    wait(battle, ending.signal, (lost) => { hint.hidden = !lost; }, (part) => {
      for (const side of ["a", "b"]) if (part[side]) box.querySelector(`#answer-${side}`).lastChild.replaceWith(node("p", { class: "text", dir: "auto" }, part[side]));
    });
  }

  async function wait(battle, signal, lost, some) {
    for (let tries = 0; !signal.aborted;) {
      try {
        const reply = await fetch(`/battle/${battle.battle}/wait`, { signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]) });
        if (!reply.ok && reply.status < 500 && reply.status !== 429) return refused({ status: reply.status });
        if (!reply.ok) throw new TypeError("not now");
        let now = battle;
        const heard = (part) => { now = { ...now, ...part }; if (now.state === "asking") some(part); };
        if (reply.headers.get("content-type").includes("ndjson")) await lines(reply, heard);
        else heard(await reply.json());
        lost(false);
        tries = 0;
        if (now.state !== "asking" && !signal.aborted) return arrived(now);
        if (now.state === "asking") await pause(0.2, signal);
      } catch {
        if (signal.aborted) return null;
        lost(true);
        await pause(RESTS[Math.min(tries++, RESTS.length - 1)], signal);
      }
    }
    return null;
  }

  function arrived(battle) {
    open(battle);
    if (battle.state === "ready") announce(say("waiting.ready"));
  }

  const head = () => (progress ? [node("p", { class: "far" }, node("progress", { max: String(progress.wanted), value: String(progress.done), "aria-label": say("progress.name") }), node("span", {}, say("progress", progress)))] : []);

  function failed(battle) {
    const again = () => once(async () => open(await ask("battle", battle.query.text ? { text: battle.query.text } : { recording: battle.query.href.split("/").pop() })), refused);
    show("failed", [
      ...head(), node("h1", {}, say("failed.title")), node("p", { class: "lead" }, say("failed.about")), question(battle),
      node("div", { class: "acts" }, act("failed.again", again, { main: true, pressed: "r" }), act("failed.new", () => next(battle), { pressed: "n" })),
    ], { alone: true, keys: { r: again, n: () => next(battle), p: toggle } });
  }

  // Both are here: words first, then the vote, which can be changed until it is seen who answered.
  function judging(battle) {
    const draft = tab.read(`draft ${battle.battle}`) || battle;
    const area = settings.comment ? node("textarea", { id: "comment", rows: "2", maxlength: "2000", dir: "auto", "aria-describedby": "comment-about" }) : null;
    const after = node("div", { class: "after" }), votes = new Map();
    const last = progress && progress.done + (battle.outcome ? 0 : 1) >= progress.wanted;
    let kept = battle, chosen = draft.outcome || battle.outcome;
    if (area) area.value = draft.comment;
    const tags = (settings.tags || []).map((tag) => {
      const box = node("input", { type: "checkbox", value: tag });
      box.checked = draft.tags.includes(tag);
      return node("label", { class: "choice" }, box, node("span", { class: "text" }, tag));
    });
    const said = () => ({ comment: area?.value || "", tags: tags.map((one) => one.firstChild).filter((one) => one.checked).map((one) => one.value) });
    const words = node("div", { class: "fields" },
      area ? node("div", { class: "field" }, node("label", { for: "comment" }, say("comment")), node("p", { class: "small", id: "comment-about" }, say("comment.about")), area) : null,
      tags.length ? node("fieldset", { class: "field tags" }, node("legend", {}, say("tags")), node("div", { class: "choices" }, ...tags)) : null);
    const note = () => tab.write(`draft ${battle.battle}`, { outcome: chosen, ...said() });
    words.addEventListener("input", note);

    const same = () => { const { comment, tags: ticked } = said(); return kept.outcome === chosen && comment === kept.comment && String(ticked) === String(kept.tags); };
    const post = async () => { if (!same()) kept = await ask("vote", { battle: battle.battle, outcome: chosen, ...said() }); tab.drop(`draft ${battle.battle}`); };
    const change = say(progress ? "vote.change.study" : settings.reveal ? "vote.change" : "vote.change.on");

    // A vote is kept at once; in a study when one goes on, since something else may come after it.
    const vote = (outcome) => once(async () => {
      const before = chosen;
      chosen = outcome;
      try {
        if (progress) note();
        else await post();
      } catch (problem) { chosen = before; throw problem; }
      mark();
      announce(`${say(progress ? "vote.chosen" : "vote.kept", { outcome: say(`outcome.${outcome}`) })} ${before ? "" : change}`);
    }, refused);

    const settled = (then) => () => once(async () => { await post(); await then(); }, refused);
    const reveal = settled(async () => revealed(await ask("reveal", { battle: battle.battle })));
    const on = settled(async () => next(kept));

    function mark() {
      for (const [outcome, one] of votes) one.setAttribute("aria-pressed", String(chosen === outcome));
      main.dataset.state = "voted";
      if (after.hasChildNodes()) return;
      after.append(node("p", { class: "small" }, change),
        node("div", { class: "acts" }, settings.reveal ? act("reveal", reveal, { main: true, pressed: "w" }) : null, act(last ? "finish" : "next", on, { main: !settings.reveal, pressed: "n" })));
      more({ n: on, ...(settings.reveal && { w: reveal }) });
    }

    for (const outcome of settings.outcomes) {
      const one = button(say(`outcome.${outcome}`), () => vote(outcome), { id: outcome });
      one.setAttribute("aria-keyshortcuts", KEYS[outcome]);
      one.append(key(KEYS[outcome]));
      votes.set(outcome, one);
    }
    const keys = Object.fromEntries(settings.outcomes.map((outcome) => [KEYS[outcome], () => vote(outcome)]));
    show(chosen ? "voted" : "replies", [
      ...head(), node("h1", {}, say("vote.title")), question(battle), answers(battle),
      node("section", { class: "judge" }, words, node("fieldset", { class: `votes field of-${settings.outcomes.length}` }, node("legend", {}, say("vote.legend")), node("div", { class: "vote" }, ...votes.values())), problems(), after),
    ], { keys: { ...keys, p: toggle, ...(area && { c: () => area.focus() }) } });
    if (chosen) mark();
  }

  function revealed(battle) {
    const box = answers(battle), on = () => next(battle), last = progress && progress.done >= progress.wanted;
    for (const side of ["a", "b"]) {
      const its = battle.models[side], facts = ["latency_s", "first_token_s"].filter((one) => typeof its[one] === "number").map((one) => say(`revealed.${one}`, { n: its[one] }));
      if (battle.outcome === `model_${side}`) {
        box.querySelector(`#answer-${side}`).classList.add("chosen");
        box.querySelector(`#name-${side}`).append(" ", node("span", { class: "choice-mark" }, say("revealed.chosen")));
      }
      box.querySelector(`#name-${side}`).after(node("p", { class: "who" }, node("bdi", {}, its.name)), node("p", { class: "small" }, facts.join(" · ")));
    }
    tab.drop(`draft ${battle.battle}`);
    show("revealed", [
      ...head(), node("h1", {}, say("revealed.title")), node("p", { class: "lead" }, say("revealed.vote", { outcome: say(`outcome.${battle.outcome}`) }), " ", say("revealed.closed")),
      box, node("div", { class: "acts" }, act(last ? "finish" : "next", on, { main: true, pressed: "n" })), question(battle),
    ], { keys: { n: on, p: toggle } });
  }

  function open(battle) {
    const { state } = battle;
    return (state === "asking" ? waiting : state === "failed" ? failed : state === "revealed" ? revealed : judging)(battle);
  }

  return open;
}
