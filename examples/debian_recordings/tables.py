"""Tables of what is known about the recordings of four Debian packages, for the specs beside this file.

    apt-get install pocketsphinx-testdata hydrogen-drumkits klettres-data timgm6mb-soundfont fluidsynth
    python tables.py [ROOT]        # packages unpacked elsewhere (dpkg -x): below ROOT

Writes speech.csv, drums.csv, letters.csv and notes.csv, with the notes that fluidsynth plays, to the current folder.
"""

import csv
import re
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

LANGUAGES = {
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "he": "Hebrew",
    "hu": "Hungarian",
    "it": "Italian",
    "lt": "Lithuanian",
    "ml": "Malayalam",
    "nl": "Dutch",
    "pt_BR": "Portuguese",
    "ru": "Russian",
    "uk": "Ukrainian",
}
DRUMS = {
    "kick": r"kick|bass ?drum",
    "snare": r"snare",
    "hi-hat": r"hi-?hat|\bhh\b|\bhat\b",
    "tom": r"\btom",
    "crash cymbal": r"crash(?!.ride)",
    "ride cymbal": r"(?<!crash.)\bride",
    "hand clap": r"clap",
    "cowbell": r"cowbell",
}
FAMILIES = {0: "keys and bars", 24: "plucked strings", 40: "bowed strings", 56: "brass", 64: "reed", 72: "flute"}
NOTES = {
    0: "piano",
    6: "harpsichord",
    11: "vibraphone",
    24: "guitar",
    46: "harp",
    105: "banjo",
    40: "violin",
    42: "cello",
    43: "double bass",
    56: "trumpet",
    57: "trombone",
    60: "French horn",
    66: "saxophone",
    68: "oboe",
    71: "clarinet",
    73: "flute",
    74: "recorder",
    75: "pan flute",
}


def speech(root: Path) -> Iterator[dict[str, object]]:
    """Read sentences and cards with their transcripts: ``<s> … </s> (file)``."""
    data = root / "usr/share/pocketsphinx/test/data"
    for part, name in (("librivox", "transcription"), ("cards", "cards.transcription")):
        for line in (data / part / name).read_text("utf-8").splitlines():
            if said := re.fullmatch(r"<s> (.*?) *</s> \((.*)\)", line):
                yield {"file": data / part / f"{said[2]}.wav", "said": said[1], "part": part}


def drums(root: Path) -> Iterator[dict[str, object]]:
    """Samples of drum kits, by the names that their kits give the instruments."""
    for kit in sorted((root / "usr/share/hydrogen/data/drumkits").glob("*/drumkit.xml")):
        whole = ET.parse(kit).getroot()  # noqa: S314  a file of the system
        for instrument in whole.findall(".//{*}instrument"):
            called = instrument.findtext("{*}name", "").lower()
            kinds = [kind for kind, pattern in DRUMS.items() if re.search(pattern, called)]
            for file in instrument.findall(".//{*}filename"):
                if kinds:
                    licence = whole.findtext("{*}license", "")
                    yield {
                        "file": kit.parent / file.text,
                        "drum": ";".join(kinds),
                        "kit": kit.parent.name,
                        "licence": licence,
                    }


def letters(root: Path) -> Iterator[dict[str, object]]:
    """Letters and syllables, by the language in which they are read."""
    for code, language in LANGUAGES.items():
        for file in sorted((root / "usr/share/klettres" / code).glob("*/*.ogg")):
            yield {"file": file, "language": language, "part": file.parent.name}


def notes(root: Path) -> Iterator[dict[str, object]]:
    """Notes of a sound font, each played by fluidsynth."""
    font = root / "usr/share/sounds/sf2/TimGM6mb.sf2"
    Path("notes").mkdir(exist_ok=True)
    for program, instrument in NOTES.items():
        family = FAMILIES[max(start for start in FAMILIES if start <= program)] if program != 105 else "plucked strings"
        for pitch in (57, 62, 67):
            file = Path(f"notes/{program}-{pitch}.wav")
            with tempfile.NamedTemporaryFile(suffix=".mid") as midi:
                midi.write(one_note(program, pitch))
                midi.flush()
                subprocess.run(["fluidsynth", "-niq", "-F", file, "-r", "16000", font, midi.name], check=True)
            yield {"file": file, "instrument": instrument, "family": family}


def one_note(program: int, pitch: int) -> bytes:
    """A MIDI file of one note, held for a second."""
    track = bytes([0, 0xC0, program, 0, 0x90, pitch, 100, 0x87, 0x40, 0x80, pitch, 0, 0, 0xFF, 0x2F, 0])
    return b"MThd" + struct.pack(">IHHH", 6, 0, 1, 480) + b"MTrk" + struct.pack(">I", len(track)) + track


def write(name: str, rows: Iterable[dict[str, object]]) -> None:
    """Write a table."""
    found = list(rows)
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, found[0])
        table.writeheader()
        table.writerows(found)
    print(f"{name}: {len(found)} recordings")


if __name__ == "__main__":
    ROOT = Path(sys.argv[1] if len(sys.argv) > 1 else "/")
    for maker in (speech, drums, letters, notes):
        write(f"{maker.__name__}.csv", maker(ROOT))
