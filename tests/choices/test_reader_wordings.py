"""Wordings that name, set aside or deny an option, each beside one that does not."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from audiometry import choices
from audiometry.choices import spelling, tokens

INSTRUMENTS = ("violin", "piano", "guitar", "drums")
COUNTS = ("1", "2", "3", "4")
EMOTIONS = ("happy", "sad", "angry", "neutral")
SOUNDS = ("cough", "park", "a dog barking", "rain")


def read(reply, options):
    return choices.read_answer(reply, options).letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("There is one speaker.", "A"), ("There is just one", "A"), ("one or two speakers", None),
        ("That one was easy", None), ("One of them coughs", None), ("One speaker, then another", None),
        ("a single speaker", "A"), ("every single time", None), ("a single one after another", None),
        ("It rings once", "A"), ("It rings once in the clip", "A"), ("all at once", None), ("once more", None),
        ("It rings twice", "B"), ("twice as loud", None), ("three times", "C"), ("3 times louder", None),
        ("two men and a woman", None), ("a woman and 2 men", None), ("2 voices", "B"), ("at least 2 voices", None),
        ("2 or more voices", None), ("at least two voices, possibly three", None), ("2 of 10", "B"),
        ("confidence: 3", None), ("3 % sure", None), ("speaker 3", None), ("after 3", None), ("3 seconds", None),
        ("I count exactly one.", "A"), ("4 out of 10", "D"), ("out of 4", None), ("one by one", None),
    ],
)  # fmt: skip
def test_counts(reply, letter):
    assert read(reply, COUNTS) == letter


@pytest.mark.parametrize(
    ("options", "reply", "letter"),
    [
        (("once", "twice", "three times"), "It rings 2 times", "B"),
        (("once", "twice", "three times"), "It rings one time", "A"),
        (("1 time", "2 times", "3 times"), "twice", "B"),
        (("first", "second"), "the 2nd", "B"),
        (("1st", "2nd"), "the first.", "A"),
        (("1st", "2nd"), "wait a second", None),
        (("first", "second"), "every 10 second", None),
        (("21", "72", "172"), "one hundred and seventy-two", "C"),
        (("21", "72", "172"), "SEVENTY TWO", "B"),
        (("20", "70", "100"), "twenty-one", None),
        (("20", "70", "100"), "a hundred", "C"),
        (("25%", "50%"), "50 percent", "B"),
        (("220 Hz", "440 Hz"), "above 440 Hz", None),
        (("220 Hz", "440 Hz"), "some 440 Hz", "B"),
        (("piano", "electric piano"), "an eletric piano", "B"),
        (("piano", "electric piano"), "a pianoo piano", "A"),
        (("left", "right"), "from left to right", None),
        (("left", "right", "front"), "front right", None),
    ],
)
def test_numbers_and_places_said_in_several_ways(options, reply, letter):
    assert read(reply, options) == letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("The third option", "C"), ("the last choice", "D"), ("option two", "B"), ("Option number 4", "D"),
        ("option 5", None), ("option number", None), ("the fifth option", None), ("my third option", None),
        ("the third instrument", None), ("the second choice: B", "B"), ("option\ntwo", None),
        ("Option b is right", "B"), ("option a is right", "A"), ("an option a child knows", None), ("option_c", "C"),
        ("option_cat", None), ("x_b", None), ("letter d", "D"), ("answer c because of it", "C"), ("correct: c", "C"),
        ("different from the piano", None),
        ("If I'm not wrong, B", "B"), ("A piano is out of the question", None),
    ],
)  # fmt: skip
def test_places_and_small_letters(reply, letter):
    assert read(reply, INSTRUMENTS) == letter


def test_places_mean_nothing_where_options_are_numbers():
    assert read("option 2", ("3", "2", "1")) == "B"
    assert read("the second option", ("1", "2", "3")) is None


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("Yes it is", "A"), ("Yes indeed", "A"), ("Yes because I hear it", "A"), ("no (confident)", "B"),
        ("I say no", "B"), ("there is no dog", None), ("Well, no", "B"), ("No - none at all", "B"),
        ("No, wait, yes.", "A"), ("no or yes", None), ("Yes/No", None),
    ],
)  # fmt: skip
def test_yes_and_no(reply, letter):
    assert read(reply, ("Yes", "No")) == letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("coughs", "A"), ("a man coughing", "A"), ("someone coughed loudly", "A"), ("a coughed word", None),
        ("coughing fits", None), ("parks", "B"), ("a parking lot", None), ("dogs bark", "C"), ("A dog is barking", "C"),
        ("the dog barked", "C"), ("a dog was seen", None), ("rains", "D"), ("raining the whole day", "D"),
    ],
)  # fmt: skip
def test_other_forms_of_an_options_word(reply, letter):
    assert read(reply, SOUNDS) == letter


@pytest.mark.parametrize(
    ("word", "made"),
    [
        ("city", {"cities"}), ("boy", {"boys"}), ("church", {"churches"}), ("drums", {"drum"}), ("glass", set()),
        ("keys", set()), ("bus", {"buses"}), ("rock", set()),
        ("running", {"runs", "runns", "runnes", "runed", "runned"}),
        ("king", {"kings"}), ("going", {"goings"}), ("ab", set()), ("3a1", set()),
    ],
)  # fmt: skip
def test_forms(word, made):
    assert spelling.forms(word) == made


def test_verb_forms_of_short_words_and_of_forms_are_none():
    assert spelling.verb_forms("bus") == spelling.verb_forms("barking") == frozenset()
    assert spelling.verb_forms("sigh") == {"sighing", "sighed"}


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("gutar", "C"), ("The guittar", "C"), ("pinao", "B"), ("violi", "A"), ("drumms", "D"), ("house", None),
        ("gutar and pinao", None), ("not a gutar", None), ("plan", None), ("quitar", None),
        ("It may be a gutar " + "la " * 12, None), ("v1olin", None), ("violinist", None), ("guzzar", None),
    ],
)  # fmt: skip
def test_one_slip_of_spelling(reply, letter):
    assert read(reply, INSTRUMENTS) == letter


def test_a_slip_near_two_options_is_left():
    assert read("violen", ("violin", "violan")) is None
    assert read("sining", ("singing", "sitting")) is None


@given(st.text("abcde", min_size=4, max_size=9), st.text("abcde", min_size=4, max_size=9))
def test_a_slip_is_one_edit_at_most_but_for_doubled_letters(word, wanted):
    assume(word != wanted)
    single = [spelling._single_letters(text) for text in (word, wanted)]
    if spelling.is_slip(word, wanted):
        assert OSA.distance(*single) <= 1 or word == wanted[:-1]
    elif len(wanted) > 5 and word[0] == wanted[0] and word[-1] == wanted[-1]:
        assert OSA.distance(*single) > 1


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ('He says "I am sad" but sounds angry', "C"), ('"I am sad", he says angrily: angry', "C"),
        ("He says 'I'm sad', so neutral", "D"), ('He says "sad".', "B"), ('I say "sad".', "B"),
        ('He says "sad" or "happy", it is angry', "C"), ("He claims he is happy; he sounds sad", "B"),
        ('The words "happy day" are sung; sad', "B"), ('The answer "sad" is right, "happy" is wrong.', "B"),
        ("Far from happy", None), ("I doubt it is sad. Angry.", "C"), ("No doubt it is sad", "B"),
        ("I don't doubt she is sad", "B"), ("hardly sad", None), ("hardly any doubt: sad", "B"),
        ("a hardly audible sad voice", "B"), ("Nothing suggests she is sad", None), ("nothing but sad", "B"),
        ("It would be wrong to say sad", None), ("too loud to be sad", None), ("sad is doubtful", None),
        ("no trace of a happy voice", None), ("hard to believe she is happy", None),
        ("I'm happy to help. It sounds sad.", "B"), ("Happy to help!", None), ("She is happy to be here", "A"),
        ("happy to", "A"), ("He asks why she is so sad, in a happy voice", "A"), ("unclear whether she is happy", None),
        ("He tries to sound happy but is sad", "B"), ("I'm happy to help.", None), ("the opposite of happy", None),
        ("Is she happy?", None), ("happy?", "A"), ("Although she sounds happy, it is sad", "B"),
        ("It is sad, although a bit angry", "B"), ("There's little reason to call it sad", None),
    ],
)  # fmt: skip
def test_words_of_others_and_denials(reply, letter):
    assert read(reply, EMOTIONS) == letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("B, with C a close second", "B"), ("Best: B. Second best: C", "B"), ("The runner-up is C", None),
        ("B > C", "B"), ("=> C", "C"), ("I prefer B over C", "B"), ("B, followed by C", "B"),
        ("First choice: B\nSecond choice: C", "B"), ("B is my answer; alternatively C", "B"),
        ("B. C would be lower", "B"), ("B would be lower", "B"), ("C would be the best", "C"),
        ("D. A would be higher, B brighter", "D"), ("D. A would be higher. B brighter", "D"),
        ("B would be right, C would be wrong", "B"), ("I was going to say A, but it is B", "B"),
        ("~~A~~ B", "B"), ("~~A~~", None), ("- [ ] violin\n- [x] piano\n- [ ] drums", "B"),
        ("- [ ] violin\n- [ ] piano", None), ("❌ A\n✅ C", "C"), ("A is too high, so B", "B"), ("1. B\n2. C", None),
        ("similar to a piano", "B"), ("Similar to a piano, but it is a guitar", "C"),
        ("no other sound than a piano", None),
        ("a high C", None), ("Side B", None), ("Grade: A", None),
    ],
)  # fmt: skip
def test_what_is_named_beside_the_answer(reply, letter):
    assert read(reply, INSTRUMENTS) == letter


def test_what_is_kept_of_words_is_bounded(monkeypatch):
    monkeypatch.setattr(tokens, "_MOST_KEPT", 0)
    kept = tokens._Keys()
    assert kept["Piano"] == "piano"
    assert not kept
