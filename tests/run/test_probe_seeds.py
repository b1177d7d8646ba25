"""The hearing test over many seeds: how often guessing hides a fault, and that a healthy model has none.

Answers are made in this process, from the questions; no clip is written, sent or heard.
"""

import asyncio
import itertools
from math import comb

import pytest

from audiometry import seeds
from audiometry.records import ModelCard
from audiometry.run import probe as probing
from audiometry.run.probing import asking, weigh
from audiometry.run.probing.asking import Outcome
from audiometry.run.probing.pitch_shift import nearest
from audiometry.run.probing.questions import AGAIN, CHANCE, FIRST, SHORT, basics, further, questions
from audiometry.run.probing.result import ALPHA, Heard, Sent
from audiometry.run.settings import RunSettings

CARD = ModelCard(channels=2, formats=("wav", "mp3"))
SEEDS = range(60)
# of each fault: the parts that are not heard
FAULTS = {
    "no-audio": {part.name for part in (*basics(), *further(CARD, "audio-first", "digit"))},
    "cut": {"end-31s", "end-61s"},
    "left-channel": {"left"},
    "right-channel": {"right"},
    "mp3": {"mp3"},
    "part-order": {"other-order"},
    "start-lost": {"start-61s"},
}


class Ears:
    """Told of each question what there is to be heard; guesses, or hears it too low, where it is deaf."""

    name, parameters, card = "fake/ears", {}, CARD

    def __init__(self, deaf=(), slow=1.0, slips=0.0):
        self.deaf, self.slow, self.slips = frozenset(deaf), slow, slips

    def says(self, question, seed):
        item = question.item
        draw = seeds.stream(seed, "ears", item.id)
        if item.task in self.deaf or draw.random() < self.slips:
            return draw.pick(item.options)
        if question.part.kind == "pitch":
            return nearest(int(item.answer.split()[0]) * self.slow)
        return item.answer

    async def close(self):
        pass


@pytest.fixture
def probe(monkeypatch):
    """``probe(Ears(), seed)``: the full test, asked and weighed as ever, its answers made here."""

    def write(parts, who, _folder):
        return tuple(questions(parts, who.seed))

    async def ask(asked, who, _folder, _journal):
        return Outcome(tuple(heard(who.model, question, who.seed) for question in asked))

    def heard(ears, question, seed):
        item = question.item
        sent = Sent(format=question.part.form, rate=16_000, channels=1, duration_s=1.0)
        told = {"id": item.id, "aspect": item.task, "kind": question.part.kind, "options": item.options}
        return Heard(**told, answer=item.answer, said=ears.says(question, seed), text="A", sent=sent)

    monkeypatch.setattr(asking, "write", write)
    monkeypatch.setattr(asking, "ask", ask)
    monkeypatch.setattr(probing._Answers, "learn", lambda _self, _folder: None)

    def go(ears, seed, tmp_path):
        who = probing._asker(ears, RunSettings(seed=seed), lambda _: None)
        return asyncio.run(probing._full(who, tmp_path, probing._Answers()))

    return go


def test_a_healthy_model_has_no_fault_with_any_seed(probe, tmp_path):
    for seed in SEEDS:
        found = probe(Ears(), seed, tmp_path)
        assert (found.findings, found.hears, found.right, found.n) == ((), True, 56, 56)
        assert {one.verdict for one in found.aspects} == {"heard"}


@pytest.mark.parametrize("cause", FAULTS)
def test_a_fault_is_found_whatever_the_seed(probe, cause, tmp_path):
    """Guessing hides one in four hundred parts; none with the usual seed."""
    missed = []
    for seed in SEEDS:
        found = probe(Ears(FAULTS[cause]), seed, tmp_path)
        if [one.cause for one in found.findings] != [cause]:
            missed.append(seed)
        assert found.hears is (cause != "no-audio")
        assert found.n <= probing.LONGEST
    assert len(missed) <= 1
    assert 0 not in missed


def test_a_wrong_rate_is_found_with_every_seed(probe, tmp_path):
    for seed in SEEDS:
        found = probe(Ears(slow=0.5), seed, tmp_path)
        assert (seed, [one.cause for one in found.findings]) == (seed, ["wrong-rate"])


def test_a_model_that_makes_slips_is_seldom_blamed(probe, tmp_path):
    """One answer in ten is a guess: the parts on which it slips are asked again, and nothing is wrong."""
    blamed = sum(bool(probe(Ears(slips=0.1), seed, tmp_path).findings) for seed in SEEDS)
    assert blamed <= 1


def binomial(k, n, p):
    return comb(n, k) * p**k * (1 - p) ** (n - k)


def hidden(kind, reference):
    """The probability that a part which is not heard is not found out, asked again included."""
    first, more, chance = FIRST[kind], AGAIN[kind], CHANCE[kind]
    tail = lambda right, n: sum(binomial(k, n, chance) for k in range(right, n + 1))  # noqa: E731  the exact tail
    less = lambda right, n: sum(binomial(k, n, reference) for k in range(right + 1))  # noqa: E731  the same
    out = binomial(first, first, chance) if tail(first, first) <= ALPHA else 0.0
    for a, b in itertools.product(range(first), range(more + 1)):
        right, n = a + b, first + more
        if less(right, n) > weigh.SURE or tail(right, n) <= ALPHA:
            out += binomial(a, first, chance) * binomial(b, more, chance)
    return out


@pytest.mark.parametrize(("kind", "reference"), [("digit", 6 / 7), ("tone", 7 / 8), ("pitch", 5 / 6)])
def test_guessing_hides_a_part_that_is_not_heard_in_less_than_one_of_a_hundred(kind, reference):
    """Of a model that names all digits and tones of the basic parts, all pitches of the plain one."""
    assert hidden(kind, reference) <= 0.008


def test_few_questions_show_at_the_level_of_each_part_that_all_right_is_no_guessing():
    for kind, chance in CHANCE.items():
        assert chance ** FIRST[kind] <= ALPHA < chance ** (FIRST[kind] - 1)
    assert [part.n for part in SHORT] == [4, 4]
