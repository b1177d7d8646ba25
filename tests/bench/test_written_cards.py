"""Cards that people read first: the example's runs, and those of the document are cards."""

import re
from pathlib import Path

import msgspec
import pytest

from audiometry import bench
from audiometry.files import foreign
from audiometry.records import Card

ROOT = Path(__file__).parents[2]
WRITTEN = re.findall(r"```toml\n(.*?)```", (ROOT / "docs/cards.md").read_text(encoding="utf-8"), re.DOTALL)


def test_the_example_of_a_card_from_csv_is_clean_and_runs_in_both_its_wordings(cli, tmp_path):
    card = ROOT / "examples" / "card_from_csv" / "card.toml"
    assert [item.answer for item in bench.load(card)] == ["rising", "rising", "falling", "falling"]
    said = cli("check", card, "--json")
    assert (said.code, said.json["n_errors"], said.json["n_warnings"]) == (0, 0, 0)
    asked = ("--wordings", 2, "--model", "scripted/oracle", "-o", tmp_path / "r", "--json")
    said = cli("run", card, *asked)
    assert (said.code, said.json["scores"]["macro-f1"]["value"]) == (0, 1.0)
    assert said.json["scores"]["macro-f1"]["n_replies"] == 8


@pytest.mark.parametrize("text", WRITTEN, ids=range(len(WRITTEN)))
def test_a_card_of_the_document_has_no_key_that_is_none(text):
    card = foreign.toml(text.encode(), Card)
    assert card != Card()
    assert set(msgspec.toml.decode(text)) <= set(Card.__struct_fields__)


def test_the_shortest_card_is_a_whole_one(tmp_path, make_benchmark, cli):
    folder = make_benchmark(2)
    (shortest,) = (text for text in WRITTEN if 'name = "mine"' in text)
    (folder / "card.toml").write_text(shortest, encoding="utf-8")
    (folder / "rows.csv").write_text("clip,emotion\naudio/00000.wav,glad\naudio/00001.wav,sorry\n")
    said = cli("run", folder / "card.toml", "--model", "scripted/oracle", "-o", tmp_path / "r", "--json")
    assert (said.code, said.json["scores"]["macro-f1"]["value"]) == (0, 1.0), said.err
