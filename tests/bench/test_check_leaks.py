import msgspec
import numpy as np
import pytest
from scipy import stats

from audiometry import seeds
from audiometry.audio.info import AudioInfo
from audiometry.bench import check_labels, check_leaks
from audiometry.bench.check_clip import ClipFacts
from audiometry.records import Item

LABELS = ("dog", "cat", "cow", "owl")


def made(n, *, seed=1, **change):
    """Items with nothing to give away; each of ``change`` makes a field of (rng, answer, options)."""
    rng = seeds.stream(seed, "made")
    items = []
    for i in range(n):
        answer = rng.pick(LABELS)
        options = tuple(rng.shuffled(LABELS))
        fields = {"question": "Which one?", "file_name": f"audio/{i}.wav", "options": options, "answer": answer}
        for field, make in change.items():
            fields[field] = make(rng, answer, fields["options"])
        items.append(Item(id=f"i{i}", task="t", **fields))
    return items


def clip(name, *, seconds=1.0, size=1000, rate=16000):
    info = AudioInfo(format="wav", subtype="PCM_16", rate=rate, channels=1, frames=round(seconds * rate))
    return ClipFacts(name=name, path=name, bytes=size, info=info)


def table(items, clips=None):
    guesses, found = check_leaks.guesses({"t": items}, clips or {}, seed=0)
    return guesses["t"], [f.code for f in found]


def test_nothing_is_blamed_where_nothing_leaks():
    blamed = 0
    for seed in range(40):
        items = made(120, seed=seed)
        sizes = np.random.default_rng(seed).integers(1000, 9000, len(items))
        clips = {
            i.file_name: clip(i.file_name, size=int(s), seconds=s / 5000) for i, s in zip(items, sizes, strict=True)
        }
        blamed += bool(table(items, clips)[1])
    assert blamed <= 2


def test_p_values_of_rules_that_learn_hold_their_level():
    p = []
    for seed in range(300):
        guesses, _ = table(made(60, seed=seed))
        p.append(guesses["most frequent answer"].p)
    assert np.mean(np.array(p) <= 0.05) <= 0.085
    assert np.mean(np.array(p) <= 0.5) == pytest.approx(0.5, abs=0.12)


def test_a_rule_is_worth_what_it_gets_right_of_all_items():
    items = made(40, question=lambda rng, answer, _: f"{answer}?" if rng.random() < 0.1 else "Which one?")
    one = table(items)[0]["named in the question"]
    assert (one.accuracy, one.right) == (1.0, one.n)
    assert 0 < one.n < 10
    assert one.overall == pytest.approx((one.n + 0.25 * (40 - one.n)) / 40)
    assert (one.chance, one.overall_chance) == (0.25, 0.25)


def test_a_longer_right_answer_leaks():
    honest = made(100)
    assert "longest option" not in table(honest)[0]  # all are equally long, so the rule names none
    told = [
        msgspec.structs.replace(i, options=tuple(o + "!" * (o == i.answer) for o in i.options), answer=f"{i.answer}!")
        for i in honest
    ]
    guesses, codes = table(told)
    assert codes[0] == "longest-option"
    one = guesses["longest option"]
    assert (one.n, one.right, one.accuracy, one.chance) == (100, 100, 1.0, 0.25)
    assert one.p == pytest.approx(0.25**100)
    assert one.p_corrected > one.p


def test_p_is_the_binomial_one():
    options = ("a", "b", "c", "long")
    items = [Item(id=str(n), task="t", question="?", options=options, answer=options[n % 3]) for n in range(24)]
    items += [Item(id=f"x{n}", task="t", question="?", options=options, answer="long") for n in range(16)]
    guess = table(items)[0]["longest option"]
    assert (guess.n, guess.right, guess.accuracy) == (40, 16, 0.4)
    assert guess.p == pytest.approx(stats.binom.sf(15, 40, 0.25))


@pytest.mark.parametrize(
    ("code", "field", "make"),
    [
        ("named-in-the-question", "question", lambda rng, a, o: f"Is it the {a} or not?"),
        ("named-in-the-file-name", "file_name", lambda rng, a, o: f"audio/{a}{rng.random()}.wav"),
        ("named-in-the-file-name", "file_name", lambda rng, a, o: f"audio/loud{a.title()}_{rng.random()}.wav"),
        ("file-name-prefix", "file_name", lambda rng, a, o: f"audio/{'xqzw'[LABELS.index(a)]}{rng.random()}.wav"),
        ("file-name-prefix", "file_name", lambda rng, a, o: f"set{LABELS.index(a)}a/{rng.random()}.wav"),
    ],
)
def test_names_that_tell_are_found(code, field, make):
    assert code in table(made(120, **{field: make}))[1]


def test_an_answer_that_is_frequent_is_found_and_files_are_not_blamed_for_it():
    items = made(200, answer=lambda rng, a, o: "cow" if rng.random() < 0.6 else a)
    sizes = np.random.default_rng(3).integers(1000, 9000, len(items))
    clips = {i.file_name: clip(i.file_name, size=int(s)) for i, s in zip(items, sizes, strict=True)}
    guesses, codes = table(items, clips)
    assert "most-frequent-answer" in codes
    assert not {"file-size", "clip-length", "file-format", "file-name-prefix"} & set(codes)
    assert guesses["file size"].accuracy > 0.4


@pytest.mark.parametrize(
    ("code", "field"), [("file-size", "size"), ("clip-length", "seconds"), ("file-format", "rate")]
)
def test_files_that_tell_are_found(code, field):
    items = made(200)
    clips = {i.file_name: clip(i.file_name, **{field: 8000 * (1 + LABELS.index(i.answer))}) for i in items}
    _, codes = table(items, clips)
    assert code in codes


def test_wrong_options_that_are_never_right_leak():
    rng = seeds.stream(4, "made")
    items = [
        Item(
            id=f"i{n}",
            task="t",
            question="?",
            file_name=f"{n}.wav",
            answer=a,
            options=tuple(rng.shuffled([a, "oboe", "harp", "tuba"])),
        )
        for n in range(150)
        for a in [rng.pick(LABELS)]
    ]
    guesses, codes = table(items)
    assert "most-often-right-when-offered" in codes
    assert guesses["most often right when offered"].accuracy > 0.95


def test_one_item_a_clip_is_told_to_rules_that_learn():
    items = made(30)
    twice = [
        *items,
        *[
            Item(id=i.id + "b", task="t", question="?", file_name=i.file_name, options=i.options, answer=i.answer)
            for i in items
        ],
    ]
    assert table(twice)[0]["first option"].n == 60
    assert table(twice)[0]["most frequent answer"].n <= 30


def test_the_item_of_a_cluster_that_rules_learn_from_is_any_of_it():
    def kit(k):  # each begins with a dog, as tables do that are sorted alike
        some = sorted(made(8, seed=k), key=lambda i: i.answer != "dog")
        return [msgspec.structs.replace(i, id=f"{k}/{i.id}", group=f"kit {k}") for i in some]

    guesses, codes = table([item for k in range(40) for item in kit(k)])
    assert codes == []
    assert guesses["most frequent answer"].accuracy < 0.5


def test_words_and_names():
    assert check_leaks.words("audio/dogBark_03.wav") == ("audio", "dog", "bark", "03", "wav")
    assert check_leaks.words("Größe") == ("grösse",)
    assert check_leaks.prefix(Item(id="a", task="t", file_name="x/dog12.wav")) == "x/dog"
    assert check_leaks.prefix(Item(id="a", task="t")) is None
    item = Item(id="a", task="t", options=("male", "female voice", "female"))
    assert check_leaks._named(item, ("a", "female", "voice")) == 1
    assert check_leaks._named(item, ("nobody",)) is None
    assert check_leaks._named(item, ("male", "female")) is None


def test_letters_that_are_uneven_are_reported_with_their_p():
    items = made(80, options=lambda rng, a, o: (a, *[x for x in o if x != a]))
    letters = check_labels.letters({"t": items}, seed=0)
    found = list(check_labels.letter_findings(letters))
    assert [f.code for f in found] == ["letters"]
    assert "A 80, B 0, C 0, D 0 of 80, expected 20.0, 20.0, 20.0, 20.0" in found[0].what
    assert letters["t"].p < 1e-10
    even = check_labels.letters({"t": made(80), "u": [Item(id="x", task="u")]}, seed=0)
    assert list(even) == ["t"]
    assert list(check_labels.letter_findings(even)) == []


def test_one_answer_and_answers_that_never_are_right():
    same = made(20, answer=lambda rng, a, o: "cow")
    assert [f.code for f in check_labels.balance_findings("t", same)] == ["one-answer"]
    never = made(60, answer=lambda rng, a, o: "cow" if a == "dog" else a)
    found = list(check_labels.balance_findings("t", never))
    assert [f.code for f in found] == ["never-right"]
    assert found[0].what == "never right in 60 items: dog"
    assert list(check_labels.balance_findings("t", made(60))) == []


def test_tasks_without_options_are_left_alone():
    open_ones = [Item(id=str(n), task="t", question="?", answer="a long answer") for n in range(30)]
    assert table(open_ones) == ({}, [])
    assert check_labels.letters({"t": open_ones}, seed=0) == {}
