"""Replies that name no option by letter or text, and what a text says of its options in sum; each beside one unread."""

import pytest

from audiometry import choices
from audiometry.choices import families

EMOTIONS = ("happy", "sad", "angry", "neutral")
NOUNS = ("laughter", "fear", "surprise", "sincere")
SOUNDS = ("engine idling", "set_alarm", "increase volume", "turn lights on")
CLIPS = ("music", "singing", "speech", "rain")


def read(reply, options):
    return choices.read_answer(reply, options).letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("sadness", "B"), ("Sadly", "B"),
        ("Sadly, no idea", None), ("Sadly, she speaks with anger", "C"), ("The clip is silent, sadly.", None),
        ("She speaks sadly.", "B"), ("She sadly left", None), ("He says it angrily and fast", "C"),
        ("The voice is full of anger.", "C"), ("anger management", None), ("no anger", None), ("free of anger", None),
        ("There is no sadness in it", None), ("not sadness but anger", "C"), ("sadness and anger", None),
        ("anger or frustration", None), ("frustration or anger", None), ("a song about happiness", None),
        ("My happiness is complete", None), ("neutrality", "D"), ("with neutrality in the voice", "D"),
        ("The fear of anger", "C"), ("from sadness to happiness", None), ("unhappiness", None), ("joy", None),
        ("happiness the whole time", "A"), ("without happiness", None), ("lacks sadness", None),
        ("It suggests anger rather than sadness.", "C"), ("full of sadness, a song about sadness", "B"),
    ],
)  # fmt: skip
def test_another_word_of_an_options_family(reply, letter):
    assert read(reply, EMOTIONS) == letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("A woman laughs.", "A"), ("Someone is laughing", "A"), ("laughing gas", None), ("I laugh", None),
        ("fearful", "B"), ("She is fearful of dogs", None), ("Surprised", "C"), ("I was fearful", None),
        ("I'm so fearful", None), ("surprisingly", None),
        ("I fear it is short", None), ("To my surprise it ends", None), ("I was surprised", None),
        ("It was surprised", "C"), ("I had to laugh at it", None),
        ("said with sincerity", "D"), ("sincerely", "D"),
        ("Yours, sincerely", None), ("insincerity", None), ("a surprised look", None), ("He sounds surprised", "C"),
    ],
)  # fmt: skip
def test_a_word_of_the_family_of_a_noun(reply, letter):
    assert read(reply, NOUNS) == letter


@pytest.mark.parametrize(
    ("options", "reply", "letter"),
    [
        (("loud", "quiet"), "The loudness grows", None), (("loud", "quiet"), "spoken quietly", "B"),
        (("bright", "dark"), "The brightness is low", None), (("real", "fake"), "I can't hear it, really", None),
        (("real", "fake"), "It is really", None), (("hard", "easy"), "It moves hardly", None),
        (("calm", "calmness"), "calmly", None), (("sad", "sadness"), "sadly", None),
        (("excited", "bored"), "The crowd's excitement", "A"), (("excited", "bored"), "out of boredom", "B"),
        (("excitement", "calm"), "They are excited", "A"), (("gentle", "rough"), "played gently", "A"),
        (("romantic", "epic"), "played romantically", "A"), (("ear", "eye"), "early", None),
        (("hope", "hate"), "hopeful", "A"), (("hand", "foot"), "a handful", None),
        (("state", "city"), "a statement", None),
    ],
)  # fmt: skip
def test_measures_degrees_and_other_words_are_of_no_family(options, reply, letter):
    assert read(reply, options) == letter


@pytest.mark.parametrize(
    ("word", "member"),
    [
        ("lonely", "loneliness"), ("happiness", "happily"), ("tense", "tensely"), ("calmness", "calm"),
        ("excitement", "excited"), ("disappointed", "disappointment"), ("peaceful", "peace"),
        ("energetic", "energetically"),
        ("gentle", "gently"), ("anger", "angry"),
    ],
)  # fmt: skip
def test_families(word, member):
    assert member in families.family(word)
    assert word not in families.family(word)


def test_no_family_has_a_number_a_short_word_or_one_of_another_script():
    assert families.family("3") == families.family("ear") == families.family("грусть") == frozenset()
    assert families.family("apartment").isdisjoint({"aparted", "apartd"})


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("an engine that is idling", "A"), ("The engine which was idling", "A"), ("his engine idling", "A"),
        ("an engine, the idling of it", None), ("an engine that idling", None), ("an engine that", None),
        ("an engine near idling", None), ("set an alarm", "B"), ("set my alarm", "B"), ("set the old alarm", None),
        ("set, an alarm", None), ("increase the volume", "C"), ("increase in volume", None), ("set the", None),
        ("turn the lights on", "D"), ("turn the lights off", None), ("turn the lights on, set an alarm", None),
        ("increase of the volume", None), ("set-alarm", "B"),
    ],
)  # fmt: skip
def test_small_words_between_an_options_words(reply, letter):
    assert read(reply, SOUNDS) == letter


@pytest.mark.parametrize(
    ("options", "reply", "letter"),
    [
        (CLIPS, "The second one.", "B"), (CLIPS, "It's the last one", "D"), (CLIPS, "The last option", "D"),
        (CLIPS, "The fifth one", None), (CLIPS, "The second one is louder", None),
        (("1", "2", "3"), "The second one", None),
        (("first", "second", "third"), "the second one", "B"), (("louder", "softer", "both"), "The first one", None),
        (("Yes", "No"), "The first one", None), (("C", "D"), "The first one", None), ((), "The first one", None),
    ],
)  # fmt: skip
def test_a_place_alone(options, reply, letter):
    assert read(reply, options) == letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("Nope", "B"), ("Nope, no music here", "B"), ("Yeah.", "A"), ("Yep, it is there", "A"), ("Nah - silence", None),
        ("Yeah right", None), ("Yeah, I'm not sure", None), ("Well yeah", None), ("Yeah, nah.", None),
        ('"Yeah, yeah" is sung', None), ("Yeah, yeah.", "A"), ("Yeah, no.", "B"), ("Yup!", "A"),
    ],
)  # fmt: skip
def test_yes_and_no_in_everyday_words(reply, letter):
    assert read(reply, ("Yes", "No")) == letter
    assert read(reply, ("piano", "violin")) is None


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("Option A is wrong. Option B is wrong since nobody sings. Option D is wrong. That leaves option C.", "C"),
        ("Not A, not B and not D, leaving C.", "C"), ("A is out. B is out. D is out. C is the only one left.", "C"),
        ("A is wrong. B is wrong. D is wrong. The only option left is C.", "C"),
        ("B is wrong since nobody sings.", None), ("B is wrong because I hear rain.", "D"),
        ("A and B are wrong, leaving C and D.", None), ("A is wrong, which leaves C or D. D is quiet. So D.", "D"),
        ("It can't be A, B or D. What is left is C, since A is out.", "C"),
        ("A and B are wrong, and so is D, leaving C.", "C"), ("A is wrong and so is B.", None),
        ("A is wrong, so it is B.", "B"),
        ("It sounds like music. A is wrong. B is wrong. D is wrong. That leaves C.", "C"),
        ("I first heard music. It is not music, not singing, not rain. This leaves speech.", "C"),
    ],
)  # fmt: skip
def test_what_is_left_when_all_others_are_dismissed(reply, letter):
    assert read(reply, CLIPS) == letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("It could be A because of the beat, or B. I can't decide between the two.", None),
        ("A fits, B too; I can't decide.", None), ("A fits. It's impossible to choose between A and B.", None),
        ("It is music. Or is it speech? Both fit.", None), ("I can't decide between A and B, so I'll go with B.", "B"),
        ("It's hard to decide between A and B, but it is A.", "A"), ("Both could work. The answer is C.", "C"),
        ("The answer is A. Or B; it's a toss-up, not more.", None), ("He can't decide. The answer is A.", "A"),
        ("It is rain or speech. I cannot tell them apart.", None),
    ],
)  # fmt: skip
def test_who_cannot_decide_answers_nothing_before(reply, letter):
    assert read(reply, CLIPS) == letter


def test_another_word_of_the_family_is_no_slip_of_spelling():
    assert read("To my surprise it ends", ("Surprised", "Calm")) is None
    assert read("I am surprised. I fear that", ("Surprised", "Fear")) is None
    assert read("Surprisd", ("Surprised", "Calm")) == "A"


def test_who_cannot_decide_says_so():
    answer = choices.read_answer("It is music. I can't decide, though.", CLIPS)
    assert (answer.letter, answer.how, answer.refused) == (None, "undecided", False)
    assert choices.read_answer("I can't tell which of A and B it is.", CLIPS).how == "refusal"


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("A) Happy: not bright ✗\nB) Sad: slow ✓\nC) Angry: not loud ✗", "B"),
        ("✘ A: happy\n✔ B: sad\n✘ C: angry", "B"), ("A: happy ✓\nB: sad ✓\nC: angry ✗", None),
        ("A: happy ✗\nB: sad ✗", None), ("A ✅, B ❌, C ❌", "A"), ("A) too fast ❌\nB) too slow ❌\nC) fits ✅", "C"),
        ("A: happy ✗ B: sad ✓", "B"),
    ],
)  # fmt: skip
def test_the_one_check_mark_of_a_list(reply, letter):
    assert read(reply, EMOTIONS) == letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("A) 1 – one voice.\nB) 2 – a second voice.\nC) 3 – no.\n\nConclusion: there are 2 speakers.", "B"),
        ("A) 1 – one voice.\nB) 2 – a second voice.\n\nConclusion: there are 2 or 3 speakers.", None),
        ("A) 1 – one voice.\nB) 2 – a second voice.\n\nConclusion: open.", None),
    ],
)  # fmt: skip
def test_the_conclusion_of_an_enumeration(reply, letter):
    assert read(reply, ("1", "2", "3")) == letter


@pytest.mark.parametrize(
    ("reply", "refused"),
    [
        ("As an AI I don't feel comfortable judging someone's age from a recording.", True),
        ("I wouldn't feel able to judge that.", True), ("He doesn't feel comfortable.", False),
    ],
)  # fmt: skip
def test_who_does_not_feel_comfortable_declines(reply, refused):
    assert choices.read_answer(reply, ("20-29", "30-39")).refused == refused
