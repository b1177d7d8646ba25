"""A chat-completions server for the tests that really listens, and goes deaf in one way on request.

    python tests/servers/hearing_server.py --port 0 --fault cut-30

It decodes the audio it is sent, and answers the single-choice question beside it from nothing but the sound and the
options shown: pitches by the peak of the spectrum, moves of the pitch by several peaks, spoken digits by likeness to
recordings. Where it hears nothing it guesses. Prints ``{"port": …}`` on standard output when it is ready.
"""

import argparse
import asyncio
import io
import json
import re
import signal
import sys
import zlib
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import soundfile
import soxr
import uvloop
from aiohttp import web
from chat_request import Asked, BadRequestError, Clip, read_request

RECORDINGS = Path(__file__).parents[2] / "src" / "audiometry" / "audio" / "digits"
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
RATE = 16_000
FRAME, HOP, FFT = 400, 160, 512
QUIET_DBFS, BELOW_PEAK_DB = -45.0, 30.0
LIKE = 0.6
MOVES = {
    (1,): "it rises",
    (-1,): "it falls",
    (1, -1): "it rises, then falls",
    (-1, 1): "it falls, then rises",
}
FAULTS = ("drop", "cut-30", "last-30", "wrong-rate", "left-only", "right-only", "mp3-deaf", "late-deaf", "stale")


def decode(clip: Clip, faults: frozenset[str], rate: int) -> np.ndarray:
    """One channel at 16 kHz, as this server's faults let it through."""
    if "mp3-deaf" in faults and clip.format == "mp3":
        return np.zeros(RATE)
    samples, stated = soundfile.read(io.BytesIO(clip.data), dtype="float64", always_2d=True)
    if "left-only" in faults:
        samples = samples[:, :1]
    if "right-only" in faults:
        samples = samples[:, -1:]
    if "cut-30" in faults:
        samples = samples[: 30 * stated]
    if "last-30" in faults:
        samples = samples[-30 * stated :]
    played_at = rate if "wrong-rate" in faults else stated
    return soxr.resample(samples.mean(axis=1), played_at, RATE)


def sounding(samples: np.ndarray) -> list[np.ndarray]:
    """The stretches that sound, 60 ms of quiet between two."""
    frames = samples[: len(samples) // HOP * HOP].reshape(-1, HOP)
    levels = 10 * np.log10(np.mean(frames**2, axis=1) + 1e-12)
    if not len(levels) or levels.max() < QUIET_DBFS:
        return []
    loud = np.flatnonzero(levels > max(QUIET_DBFS, levels.max() - BELOW_PEAK_DB))
    breaks = np.flatnonzero(np.diff(loud) > 6)
    starts, ends = loud[np.r_[0, breaks + 1]], loud[np.r_[breaks, len(loud) - 1]] + 1
    return [samples[s * HOP : e * HOP] for s, e in zip(starts, ends, strict=True)]


def pitch(samples: np.ndarray) -> float:
    """Frequency of the strongest partial, Hz."""
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), 1 << 16))
    return float(np.argmax(spectrum)) * RATE / (1 << 16)


def features(samples: np.ndarray) -> np.ndarray:
    """Log energies of 20 bands below 3.6 kHz in 40 steps over the whole, mean taken away, of unit length."""
    count = max(1, 1 + (len(samples) - FRAME) // HOP)
    padded = np.pad(samples, (0, max(0, FRAME - len(samples))))
    frames = np.stack([padded[k * HOP : k * HOP + FRAME] for k in range(count)]) * np.hanning(FRAME)
    power = np.abs(np.fft.rfft(frames, FFT)) ** 2
    edges = np.round(np.geomspace(100, 3600, 21) / RATE * FFT).astype(int)
    bands = np.stack([power[:, a : max(a + 1, b)].sum(1) for a, b in pairwise(edges)], 1)
    logs = np.log(bands + bands.max() * 1e-4 + 1e-12)
    steps = np.linspace(0, count - 1, 40)
    out = np.stack([np.interp(steps, np.arange(count), logs[:, band]) for band in range(logs.shape[1])], 1)
    out -= out.mean()
    return (out / (np.linalg.norm(out) + 1e-9)).ravel()


@cache
def templates() -> np.ndarray:
    """The features of each recorded digit."""
    kept = []
    for number in range(len(WORDS)):
        samples, _ = soundfile.read(RECORDINGS / f"{number}.flac")
        kept.append(features(whole(samples)))
    return np.stack(kept)


def whole(samples: np.ndarray) -> np.ndarray:
    """From the first to the last thing that sounds: a word has pauses in it."""
    frames = samples[: len(samples) // HOP * HOP].reshape(-1, HOP)
    levels = 10 * np.log10(np.mean(frames**2, axis=1) + 1e-12)
    loud = np.flatnonzero(levels > max(QUIET_DBFS, levels.max() - BELOW_PEAK_DB))
    return samples[loud[0] * HOP : (loud[-1] + 1) * HOP]


def listen(samples: np.ndarray, options: list[str]) -> str | None:
    """The option that the sound speaks for; None if it speaks for none."""
    parts = sounding(samples)
    if not parts:
        return None
    if set(options) <= set(WORDS):
        likeness = templates() @ features(whole(samples))
        return WORDS[int(np.argmax(likeness))] if likeness.max() > LIKE else None
    frequencies = [re.search(r"(\d+) Hz", option) for option in options]
    if all(frequencies):
        heard = pitch(max(parts, key=len))
        steps = [abs(np.log(float(found[1]) / heard)) for found in frequencies if found]
        return options[int(np.argmin(steps))]
    pitches = [pitch(part) for part in parts if len(part) > FRAME]
    return MOVES.get(tuple(int(np.sign(b - a)) for a, b in pairwise(pitches)))


class Ears:
    """State of the process: its faults, what it was asked, the clip before."""

    def __init__(self, settings: argparse.Namespace) -> None:
        self.faults, self.rate = frozenset(settings.fault), settings.rate
        self.requests = 0
        self.before: np.ndarray | None = None

    def app(self) -> web.Application:
        app = web.Application(client_max_size=1 << 30)
        app.router.add_post("/v1/chat/completions", self.completions)
        app.router.add_get("/health", self.health)
        return app

    async def health(self, _: web.Request) -> web.Response:
        return web.json_response({"requests": self.requests})

    async def completions(self, request: web.Request) -> web.Response:
        self.requests += 1
        try:
            asked = read_request(await request.read())
            text = self.reply(asked)
        except (BadRequestError, soundfile.LibsndfileError) as problem:
            return web.json_response({"error": {"message": str(problem), "type": "invalid_request_error"}}, status=400)
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11}
        return web.json_response({"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage})

    def reply(self, asked: Asked) -> str:
        shown = re.findall(r"^([A-Z])\. (.+)$", asked.text, re.MULTILINE)
        options = [text for _, text in shown]
        heard = self.hear(asked)
        said = listen(heard, options) if heard is not None else None
        # Nothing heard: a guess, as of a model that has to answer.
        place = options.index(said) if said in options else zlib.crc32(asked.key.encode()) % len(options)
        return shown[place][0]

    def hear(self, asked: Asked) -> np.ndarray | None:
        kinds = [part.partition(":")[2] for part in asked.parts]
        late = "late-deaf" in self.faults and kinds.index("text") < len(kinds) - 1
        if not asked.clips or "drop" in self.faults or late:
            return None
        now = decode(asked.clips[0], self.faults, self.rate)
        before, self.before = self.before, now
        return before if "stale" in self.faults else now


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--fault", action="append", choices=FAULTS, default=[])
    parser.add_argument("--rate", type=int, default=16_000, help="at which wrong-rate plays everything, Hz")
    return parser.parse_args(arguments)


async def serve(settings: argparse.Namespace) -> None:
    runner = web.AppRunner(Ears(settings).app(), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", settings.port).start()
    print(json.dumps({"port": runner.addresses[0][1]}), flush=True)
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    await stopped.wait()
    await runner.cleanup()


def main() -> None:
    uvloop.run(serve(parse(sys.argv[1:])))


if __name__ == "__main__":
    main()
