"""Speech to words: pocketsphinx (its model inside the package) or any faster-whisper model.

Both take ``float64[n]`` at 16 kHz and give words with times. Only pocketsphinx can be told which
phrases to expect (`Recogniser.pick`) or which word to look for (`Recogniser.spot`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from audiometry import seeds
from audiometry.models.cascade.vocabulary import number_words

RATE = 16_000
"""What the recognisers hear, Hz."""

_FRAMES_PER_S = 100
_LEAD_S = 0.1
_SPEECH_RMS = 0.08
_HISS_RMS = 0.001
_TYPICAL_CEPSTRUM = "54.06,5.98,4.04,8.56,0.59,-0.66,1.25,1.48,1.97,2.77,-3.22,-0.82,3.09"
# Mean cepstrum of sentences at the level above. Clips of one word are too short to take their own
# mean: it would subtract the word itself.
_LONG_ENOUGH_S = 2.5

_FRAME_S, _BELOW_PEAK_DB, _MARGIN_S = 0.02, 35.0, 0.5
_LONGEST_QUIET_S = 2.0
# More quiet than this around what sounds is left out, but for half a second on each side: level and mean
# cepstrum are of the whole, so a word in a minute of quiet would be raised until it clips.

_SEARCH: dict[str, Any] = {"fwdflat": False, "topn": 2, "maxhmmpf": 5000, "maxwpf": 20}
# One pass over fewer hypotheses: half the time of the defaults, with no more errors (word error rate
# 0.13 against 0.16 on 37 sentences of three human and three synthetic voices).

COMPUTE = "int8"
WINDOW_S = 30  # of the architecture: longer clips are heard window by window
_DECODING: dict[str, Any] = {"temperature": 0.0, "condition_on_previous_text": False, "vad_filter": False}
# No higher temperatures where a segment looks bad: they sample, and a clip's words would rest on what was heard before.
_WORDS: dict[str, Any] = {"beam_size": 5, "word_timestamps": False}  # the beam of openai/whisper's command line
_WITH_TIMES: dict[str, Any] = {"beam_size": 1, "word_timestamps": True}


class Word(NamedTuple):
    """A recognised word, seconds from the start of the clip; confidence 0 to 1."""

    text: str
    start_s: float
    end_s: float
    confidence: float


class Transcript(NamedTuple):
    """What was said.

    Attributes:
        words: in order.
        language: ISO 639-1 code, where the recogniser tells languages apart; otherwise empty.
        language_p: its probability, 0 to 1.
    """

    words: tuple[Word, ...]
    language: str = ""
    language_p: float = 0.0

    @property
    def text(self) -> str:
        """The words, with spaces."""
        return " ".join(w.text for w in self.words)

    @property
    def confidence(self) -> float:
        """Mean confidence of the words, weighted by their length; 0 without words."""
        length = sum(w.end_s - w.start_s for w in self.words)
        return sum(w.confidence * (w.end_s - w.start_s) for w in self.words) / length if length > 0 else 0.0


class Recogniser(Protocol):
    """Speech to words."""

    def transcribe(self, x: npt.NDArray[np.float64]) -> Transcript:
        """All words of the clip, with times."""
        ...

    def words(self, x: npt.NDArray[np.float64]) -> str:
        """All words of the clip; what a reader of transcripts gets."""
        ...

    def pick(self, x: npt.NDArray[np.float64], phrases: Sequence[str]) -> str:
        """The phrase that fits the whole clip best; empty where it cannot compare them."""
        ...

    def spot(self, x: npt.NDArray[np.float64], phrase: str) -> list[Word]:
        """Where the phrase may be, most confident first."""
        ...


def recogniser(name: str, threads: int) -> Recogniser:
    """The recogniser of that name, loaded.

    Args:
        name: ``pocketsphinx``, or ``whisper:`` and a faster-whisper name or path.
        threads: for it.
    """
    kind, _, model = name.partition(":")
    return Whisper(model, threads) if kind == "whisper" else PocketSphinx()


def resampled(x: npt.NDArray[np.float64], rate: int, wanted: int = RATE) -> npt.NDArray[np.float64]:
    """At another rate: the recognisers', unless told."""
    if rate == wanted:
        return x
    import soxr

    out: npt.NDArray[np.float64] = soxr.resample(x, rate, wanted)
    return out


def pcm16(x: npt.NDArray[np.float64]) -> npt.NDArray[np.int16]:
    """Samples as 16-bit integers at a common level, 0.1 s of quiet before and after, over a faint hiss.

    The decoder misses words that start with the clip, and digital silence is outside what its model
    was trained on; both are cured by this.
    """
    power = float(np.mean(x * x)) if len(x) else 0.0
    scaled = np.clip(x * (_SPEECH_RMS / power**0.5 if power > 0 else 0.0), -1.0, 1.0)
    quiet = np.zeros(round(_LEAD_S * RATE))
    padded = np.concatenate((quiet, scaled, quiet))
    hiss = seeds.generator(0, "hiss").standard_normal(len(padded)) * _HISS_RMS
    return np.round(np.clip(padded + hiss, -1.0, 1.0) * 32767.0).astype(np.int16)


def sounding(x: npt.NDArray[np.float64]) -> slice:
    """From the first to the last thing that sounds, half a second more on each side; all where little else is there."""
    size = round(_FRAME_S * RATE)
    power = np.mean(x[: len(x) // size * size].reshape(-1, size) ** 2, axis=1)
    loud = np.flatnonzero(power > power.max(initial=0.0) * 10 ** (-_BELOW_PEAK_DB / 10))
    if not len(loud):
        return slice(0, len(x))
    margin = round(_MARGIN_S * RATE)
    start, end = max(0, int(loud[0]) * size - margin), min(len(x), (int(loud[-1]) + 1) * size + margin)
    return slice(start, end) if len(x) - (end - start) > _LONGEST_QUIET_S * RATE else slice(0, len(x))


def spoken(text: str) -> str:
    """A phrase as a pronouncing dictionary spells it: lower case, letters and apostrophes, digits in words."""
    text = re.sub(r"\d+", lambda m: f" {number_words(int(m[0]))} ", text.lower())
    return " ".join(re.findall(r"[a-z][a-z'\-.]*", text)).replace(" -", " ").strip()


class PocketSphinx:
    """The `pocketsphinx` package with the US English model it ships."""

    def __init__(self) -> None:
        import pocketsphinx

        self._decoder: Any = pocketsphinx.Decoder(loglevel="FATAL", **_SEARCH)
        self._spotted: set[str] = set()

    @staticmethod
    def versions() -> dict[str, Any]:
        """What shapes its transcripts."""
        return {"pocketsphinx": version("pocketsphinx"), "language": "en-us", "quiet": "left out", "search": _SEARCH}

    def transcribe(self, x: npt.NDArray[np.float64]) -> Transcript:
        """All words of the clip, by the shipped trigram model."""
        return Transcript(tuple(self._decode("_default", x)))

    def words(self, x: npt.NDArray[np.float64]) -> str:
        """The same words, without times."""
        return self.transcribe(x).text

    def pick(self, x: npt.NDArray[np.float64], phrases: Sequence[str]) -> str:
        """One decoding with a grammar of the phrases, each as the whole clip."""
        known = {said: phrase for phrase in reversed(phrases) if (said := self._known(phrase))}
        if len(known) < len(set(phrases)) or len(known) < 2:  # noqa: PLR2004  a choice has two sides
            return ""
        grammar = f"#JSGF V1.0; grammar pick; public <all> = {' | '.join(sorted(known))};"
        self._decoder.add_jsgf_string("pick", grammar)
        self._run("pick", x)
        hyp = self._decoder.hyp()
        return known.get(re.sub(r"\(\d+\)", "", hyp.hypstr), "") if hyp else ""

    def spot(self, x: npt.NDArray[np.float64], phrase: str) -> list[Word]:
        """Keyword search with a low threshold."""
        said = self._known(phrase)
        if not said:
            return []
        name = f"spot {said}"
        if name not in self._spotted:
            self._decoder.add_keyphrase(name, said)
            self._spotted.add(name)
        return sorted(self._decode(name, x), key=lambda w: -w.confidence)

    def _known(self, phrase: str) -> str:
        """The phrase in dictionary words; empty where one of them is missing."""
        words = [f"{w}." if len(w) == 1 and w not in "ai" else w for w in spoken(phrase).split()]
        if len(words) == 1 and words[0] in ("a", "i"):
            words = [f"{words[0]}."]
        ok = all(self._decoder.lookup_word(w) for w in words)
        return " ".join(words) if words and ok else ""

    def _run(self, search: str, x: npt.NDArray[np.float64]) -> float:
        """Decode what sounds; the time at which that begins, seconds."""
        part = sounding(x)
        x = x[part]
        self._decoder.activate_search(search)
        self._decoder.reinit_feat()  # else what it heard before, in whatever order, would change what it hears now
        self._decoder.set_cmn(_TYPICAL_CEPSTRUM)
        self._decoder.start_utt()
        self._decoder.process_raw(pcm16(x).tobytes(), full_utt=len(x) > _LONG_ENOUGH_S * RATE)
        self._decoder.end_utt()
        return float(part.start) / RATE

    def _decode(self, search: str, x: npt.NDArray[np.float64]) -> list[Word]:
        before, length = self._run(search, x) - _LEAD_S, len(x) / RATE
        words = []
        for s in self._decoder.seg() or ():
            text = re.sub(r"\(\d+\)$", "", s.word)
            if text[:1] in "<[" or text.startswith("++"):
                continue
            start = min(max(0.0, before + s.start_frame / _FRAMES_PER_S), length)
            end = min(before + (s.end_frame + 1) / _FRAMES_PER_S, length)
            words.append(Word(text, start, end, float(min(1.0, max(0.0, s.prob)))))
        return words


class Whisper:
    """A faster-whisper model, by its name or the folder it lies in, on the CPU in 8-bit integers."""

    def __init__(self, model: str, threads: int) -> None:
        from faster_whisper import WhisperModel  # pyright: ignore[reportMissingImports]  # in an extra

        self._model: Any = WhisperModel(model, device="cpu", compute_type=COMPUTE, cpu_threads=threads)

    @staticmethod
    def versions() -> dict[str, str]:
        """What shapes its transcripts besides the weights."""
        return {"faster-whisper": version("faster-whisper"), "ctranslate2": version("ctranslate2")}

    @staticmethod
    def decoding(model: str, *, times: bool) -> dict[str, Any]:
        """How it decodes, for the record of a run.

        Args:
            model: its name or folder; one whose name ends in ``.en`` knows English only.
            times: as for a description, or as for words alone.
        """
        language = "en" if model.endswith(".en") else "detected, if it knows several"
        stated = {"task": "transcribe", "language": language, "compute": COMPUTE, "window_s": WINDOW_S}
        return stated | _DECODING | (_WITH_TIMES if times else _WORDS)

    def words(self, x: npt.NDArray[np.float64]) -> str:
        """The text of each segment, with its capitals and punctuation."""
        segments, _ = self._model.transcribe(x.astype(np.float32), **_DECODING, **_WORDS)
        return "".join(segment.text for segment in segments)

    def transcribe(self, x: npt.NDArray[np.float64]) -> Transcript:
        """Greedy decoding with word times."""
        segments, info = self._model.transcribe(x.astype(np.float32), **_DECODING, **_WITH_TIMES)
        words = tuple(
            Word(w.word.strip(), float(w.start), float(w.end), float(w.probability))
            for s in segments
            for w in s.words or ()
        )
        told = bool(self._model.model.is_multilingual)
        return Transcript(words, info.language if told else "", float(info.language_probability) if told else 0.0)

    def pick(self, x: npt.NDArray[np.float64], phrases: Sequence[str]) -> str:
        """Not offered: its transcript is good enough to be compared with the phrases."""
        del x, phrases
        return ""

    def spot(self, x: npt.NDArray[np.float64], phrase: str) -> list[Word]:
        """Not offered: its words carry times."""
        del x, phrase
        return []
