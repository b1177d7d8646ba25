"""What of a reply is read at all: reasoning, end marks and dress removed, length bounded."""

from __future__ import annotations

import re
import unicodedata

from audiometry.choices.pattern import lazy

#: Of a longer text only the first ``HEAD`` and the last ``TAIL`` characters are read.
HEAD, TAIL = 4_000, 12_000

_REASONING = lazy(
    r"<(?P<close>/?)(?P<name>think|thinking|thoughts?|reasoning|reasons?|rationale|reflection|scratchpad|analysis"
    r"|explanation|planning|caption|summary|cot|seed:think)(?:\s[^<>]{0,99})?>"
    r"|\[(?P<close2>/?)(?P<name2>think)\]"
    r"|◁(?P<close3>/?)(?P<name3>think)▷"
    r"|<\|(?:(?P<open4>begin)|end)_of_(?P<name4>thought)\|>",
    re.IGNORECASE,
)
_ANSWER_OPENS = lazy(r"<(?:answer|response|final_answer)>|<\|begin_of_solution\|>", re.IGNORECASE)
_FINAL_CHANNEL = "<|channel|>final<|message|>"
_TURN_ENDS = lazy(
    r"<\|(?:im_end|endoftext|end_of_text|eot_id|eom_id|end|return|eos)\|>|</s>|<end_of_turn>|<eos>"
    r"|<｜end▁of▁sentence｜>"
)
_TURN_MARKS = lazy(
    r"<\|im_start\|>(?:assistant)?|<\|start\|>assistant|<\|assistant\|>|<\|audio_eos\|>|<\|AUDIO\|>"
    r"|<s>|<bos>|<pad>|<unk>|\[/?INST\]"
)
_DROPPED = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad*`\u061c\u202a\u202b\u202c"))
_DRESS = _DROPPED | {
    **{0x1F150 + i: chr(65 + i) for i in range(26)},  # letters in a dark circle, which NFKC leaves alone
    **{0x1F170 + i: chr(65 + i) for i in range(26)},  # and in a dark square
    **dict.fromkeys(map(ord, "‘’‛′ʼ"), "'"),
    **dict.fromkeys(map(ord, "“”„‟″«»「」『』"), '"'),
    **dict.fromkeys(map(ord, "‐‑−"), "-"),
}
_ASCII_DRESS = {ord("*"): None, ord("`"): None}
_AND = lazy(  # "rock & roll", "rock 'n' roll", "drum-n-bass"; not R&B, A & C, N
    r"(?<=[^\W\d_]{2})\s?&(?:amp;)?\s?(?=[^\W\d_]{2})|(?<=[a-z])(?:\s?'n'?\s?(?=[a-z])|-n-(?=[a-z]))"
    r"|(?<=[a-z])(?<!option)(?<!choice)(?<!answer)(?<!letter)\sn'?\s(?=[a-z]{3})"
)
_STRUCK = lazy(r"~~[^~\n]{1,300}~~")
_HEADING = lazy(r"^[ \t]{0,3}(?:#{1,6}|>)[ \t]+", re.MULTILINE)


def without_reasoning(reply: str) -> str:
    """The reply without its reasoning blocks, channels, and whatever follows the end of its turn.

    A block that never closes is reasoning to its end, unless an answer tag opens inside it; a closing tag
    without an opening one says that everything before it was reasoning.
    """
    if reply.startswith("analysis"):  # channel marks that a server dropped as special tokens
        _, mark, final = reply.rpartition("assistantfinal")
        return final if mark else reply
    if "<" not in reply and "[" not in reply and "◁" not in reply:
        return reply
    if "<|channel|>" in reply:
        _, final, reply = reply.rpartition(_FINAL_CHANNEL)
        if not final:
            return ""
    return _turn(_blocks_removed(reply))


def _blocks_removed(reply: str) -> str:
    kept: list[str] = []
    open_names: set[str] = set()
    here = opened = 0
    for mark in _REASONING.finditer(reply):
        name = (mark["name"] or mark["name2"] or mark["name3"] or mark["name4"]).lower()
        closes = bool(mark["close"] or mark["close2"] or mark["close3"] or (mark["name4"] and not mark["open4"]))
        if not closes:
            if not open_names:
                kept.append(reply[here : mark.start()])
                opened = mark.end()
            open_names.add(name)
        elif name in open_names:
            open_names.remove(name)
            here = mark.end()
        elif not open_names:
            kept.clear()
            here = mark.end()
    if not open_names:
        kept.append(reply[here:])
    elif answer := _ANSWER_OPENS.search(reply, opened):
        kept.append(reply[answer.start() :])
    return "\n".join(kept) if len(kept) != 1 else kept[0]


def _turn(text: str) -> str:
    for end in _TURN_ENDS.finditer(text):
        if not _TURN_MARKS.sub("", text[: end.start()]).strip():
            continue
        text = text[: end.start()]
        break
    return _TURN_MARKS.sub("", _TURN_ENDS.sub("", text))


def bounded(text: str) -> str:
    """The text, or its two ends where it is longer than is read; a word cut in two is no word."""
    if len(text) <= HEAD + TAIL:
        return text
    return f"{text[:HEAD]}_\n_{text[-TAIL:]}"


def undressed(text: str) -> str:
    """The text in one script width, quotes and "and" in one form, without Markdown's marks and what they strike."""
    if "~~" in text:
        text = _STRUCK.sub(" ", text)
    if text.isascii():
        bare = text.translate(_ASCII_DRESS) if "*" in text or "`" in text else text
    else:
        bare = unicodedata.normalize("NFKC", text.translate(_DRESS))
    if "&" in bare or "'n" in bare or " n " in bare or " n' " in bare or "-n-" in bare:
        bare = _AND.sub(" and ", bare)
    return _HEADING.sub("", bare) if "#" in bare or ">" in bare else bare
