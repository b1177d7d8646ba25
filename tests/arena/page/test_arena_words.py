"""Every word of the arena's page is in one table, and every entry of the table is used."""

import json
import re
from pathlib import Path

import audiometry.arena
from audiometry.arena.abuse.look import REASONS
from audiometry.stats.ranking.connected import Reason

STATIC = Path(audiometry.arena.__file__).parent / "static"
WORDS = json.loads((STATIC / "words.en.json").read_text())
SCRIPTS = "\n".join(path.read_text() for path in sorted(STATIC.glob("*.js")))
TROUBLES = ("insecure", "unsupported", "denied", "nodevice", "busy", "gone", "empty")
MADE = {
    *(f"outcome.{one}" for one in ("model_a", "model_b", "tie", "both_bad", "skip")),
    *(f"level.{one}" for one in ("none", "quiet", "good", "loud")),
    *(f"answer.{side}" for side in "ab"),
    *(f"board.{kind}" for kind in ("failed", "refused", "empty", "abandoned")),
    *(f"unplaced.{reason}" for reason in (*Reason.__args__, "no votes")),
    *(f"apart.{reason}" for reason in REASONS),
    "revealed.latency_s",
    "revealed.first_token_s",
    *TROUBLES,
    *(f"{one}.title" for one in TROUBLES),
    "language",
    "direction",
}


def test_what_the_page_says_is_in_the_table_and_the_other_way_round():
    said = set(re.findall(r'(?:say|act)\((?:[^()"`]*\? )?"([\w.]+)"', SCRIPTS))
    said |= set(re.findall(r'(?:say|act)\([^()"`]*\? "[\w.]+" : "([\w.]+)"', SCRIPTS))
    said |= {one for one in re.findall(r'"([a-z]+(?:\.[a-z]+)*)"', SCRIPTS) if one in WORDS}  # the help's
    assert said - WORDS.keys() == set()
    assert MADE - WORDS.keys() == set()
    assert WORDS.keys() - said - MADE == set()


def test_forms_by_number_have_one_and_other():
    for forms in (one for one in WORDS.values() if not isinstance(one, str)):
        assert forms.keys() == {"one", "other"}
        assert all("{n}" in text for text in forms.values())


def test_no_page_has_words_or_styles_of_its_own():
    for page in STATIC.glob("*.html"):
        text = page.read_text()
        assert not re.search(r"<script(?! type=\"module\" src=)|<style|style=|\son\w+=", text)
        body = re.sub(r"<noscript>.*?</noscript>", "", text.partition("<body>")[2])
        assert re.sub(r"<[^>]*>", "", body).strip() == ""
