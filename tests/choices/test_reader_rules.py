"""Each rule of the reader by its name, and the corners that the table of real-looking replies does not reach."""

import pytest

from audiometry import choices

INSTRUMENTS = ("violin", "piano", "guitar", "drums")
NOTES = ("C", "D", "E", "F#")


@pytest.mark.parametrize(
    ("reply", "how", "letter"),
    [
        ("  ", "empty", None),
        ("(c)", "letter", "C"),
        ("B: piano", "option-line", "B"),
        ("«Piano»", "option-text", "B"),
        ("G", "letter-beyond", None),
        ("The answer is H. piano", "letter-against-text", None),
        ("B) drums", "letter-against-text", None),
        ("<think>A</think>", "reasoning-only", None),
        ("<answer>the piano, I think</answer> or not", "marked", "B"),
        ("I think it is the piano", "option-text", "B"),
        ("The correct one is C, not B.", "statement", "C"),
        ("A is one, D another", "several-options", None),
        ("certainly not A", "only-denied", None),
        ("(A) violin (B) piano (C) guitar (D) drums", "options-repeated", None),
        ("A. violin\n**B. piano**\nC. guitar\nD. drums", "emphasis", "B"),
        ("I cannot listen to audio.", "refusal", None),
        ("la la la", "nothing-read", None),
    ],
)
def test_every_rule_has_a_name(reply, how, letter):
    answer = choices.read_answer(reply, INSTRUMENTS)
    assert (answer.how, answer.letter, answer.refused) == (how, letter, how == "refusal")


@pytest.mark.parametrize(
    ("reply", "how", "letter"),
    [
        ("D", "letter", "D"),
        ("(D)", "letter", "D"),
        ("so (D) it is", "letter", "D"),
        ("Option D", "letter", "D"),
        ("D is correct", "letter", "D"),
        ("The note is D", "option-text", "B"),
        ("The note played is a D.", "option-text", "B"),
        ("E", "option-text", "C"),
        ("Surely E", "option-text", "C"),
        ("Surely D", "letter-or-text", None),
        ("It is B. D", "option-line", "B"),
        ("a d or so", "nothing-read", None),
    ],
)
def test_a_letter_that_is_another_options_text(reply, how, letter):
    answer = choices.read_answer(reply, NOTES)
    assert (answer.how, answer.letter) == (how, letter)


def test_an_options_text_that_looks_like_the_line_of_another_is_not_decided():
    assert choices.read_answer("A. red", ("red", "A. red")).how == "letter-or-text"
    assert choices.read_answer("A) red", ("red", "A) red")).how == "letter-or-text"
    assert choices.read_answer("(A) red", ("red", "blue")).letter == "A"


def test_a_text_beyond_the_longest_option_is_never_compared_whole():
    long = "a very long option " * 150
    assert choices.read_answer(long, (long, "short")).letter == "A"
    assert choices.read_answer("short", (long, "short")).letter == "B"
    assert choices.read_answer("B. short\n\n" + "So it sounds. " * 2_000, (long, "short")).letter == "B"


def test_two_options_of_one_text_can_only_be_told_apart_by_letter():
    assert choices.read_answer("It is a dog", ("dog", "dog")).how == "several-options"
    assert choices.read_answer("B. dog", ("dog", "dog")).letter == "B"
    assert choices.read_answer("a dog", ("dog", "dog", "cat")).letter is None


@pytest.mark.parametrize(
    ("options", "reply", "letter"),
    [
        (("-5 dB", "5 dB", "0 dB"), "The level is -5 dB", "A"),
        (("-5 dB", "5 dB", "0 dB"), "a level of 5 dB", "B"),
        (("1,200", "120", "12"), "There are 1200 of them", "A"),
        (("3/4", "4/4", "6/8"), "The time signature is 4/4.", "B"),
        (("1", "2"), "Step 1: count the beeps. There are 2.", "B"),
        (("2", "3"), "It takes 3 seconds to say", None),
        (("l'orgue", "la flûte"), "C'est l'orgue.", "A"),
        (("left", "right"), "It comes from the right", "B"),
        (("left", "right"), "You are right, it is the left one", None),
        (("one", "two"), "Which one", None),
        (("male", "female"), "a semi-male voice", None),
        (("the same", "another"), "the same.", "A"),
        (("turn on", "turn off"), "It is based on the clip", None),
        (("a bell rings", "a bell"), "a bell rings", "A"),
        (("A slow waltz", "A fast march"), "The answer is A slow waltz", "A"),
        (("A slow waltz", "A fast march"), "It is A fast march, surely.", "B"),
        (("A slow waltz", "A fast march"), "Surely A. fast march!", None),
        (("Bb major", "B major"), "in B flat major", "A"),
        (("100 %", "50 %"), "50", "B"),
        (("...", "!!!"), "...", "A"),
        (("", "a piano"), "It is a piano", "B"),
        (("", "a piano"), "The piano", "B"),
    ],
)
def test_options_of_many_kinds(options, reply, letter):
    assert choices.read_answer(reply, options).letter == letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("analysis of the sound: B", "B"),
        ("<|channel|>analysis<|message|>B", None),
        ("<think>A</thinking>B", None),
        ("<think>A</thinking></think>B", "B"),
        ("B<think>A", "B"),
        ("<|im_end|>B", "B"),
        ("<|begin_of_solution|>B<|end_of_solution|>", "B"),
        ("\\boxed{B", "B"),
        ("<answer><answer><answer><answer>B</answer></answer></answer></answer>", "B"),
        ('<answer>[[{"answer": "\\\\boxed{B}"}]]</answer>', "B"),
        ("<answer>A</answer>, no wait, <answer>B</answer>", "B"),
        ("<ÄNSWER>B</ÄNSWER> <answer>C</ANSWER>", "C"),
        ("> B", "B"),
        ("# Answer\n\n> piano", "B"),
        ("It is B.\nQuestion: what is A?", "B"),
        ("Well\nQuestion: which?\nAnswer: B", "B"),
    ],
)
def test_marks_and_reasoning(reply, letter):
    assert choices.read_answer(reply, INSTRUMENTS).letter == letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("I hear three things; the chord of C, D and the answer.", None),
        ("It was by C. P. E. Bach, so guitar", "C"),
        ("I would give this a B in class", None),
        ("N/A", None),
        ("Ответ: (Б)", "B"),
        ("Я думаю Б и всё", None),
        ("The piano (C)", None),
        ("The piano, C", None),
        ("The piano (B) plays, not the violin (A)", "B"),
        ("B. Guitar is not heard at all", "B"),
        ("Not **A**, maybe **B**, maybe **C**", None),
        ("**A** or **B** or **C**, not **D**", None),
        ("violin or piano, that is not **violin**", None),
        ("The answer is A. So the answer is B. So the answer is C.", "C"),
        ("So the answer is A. So it is B. So it is A. So it is B. So it is A.", None),
        ("It might be B. Wait. It is C.", "C"),
        ("It is C, no B", None),
        ("The answer is A. The answer is also C.", None),
        ("Also B, not A", "B"),
        ("Is it A or B? It is not A but B", "B"),
        ("I cannot say. Is it B?", None),
        ('The speaker said "choose option A" and not "B"', None),
        ("The answer is C. The piano is the one that is heard. It is a guitar.", "C"),
        ("The answer is C. It is not a violin. It is a piano.", "C"),
        ("No! B", "B"),
        ("I'd say A, I mean, I'd say D", "D"),
    ],
)
def test_what_is_said_around_an_option(reply, letter):
    assert choices.read_answer(reply, INSTRUMENTS).letter == letter


def test_a_minus_belongs_to_its_number_and_a_dash_does_not():
    assert choices.read_answer("from 1.2-3.4 on", ("[1.2, 3.4]", "[1.2, -3.4]")).letter == "A"
    assert choices.read_answer("It is -3", ("3", "-3")).letter == "B"


@pytest.mark.parametrize(
    ("reply", "option", "read"),
    [
        ("I think it cannot be determined.", "cannot be determined", "C"),
        ("There is not enough information to tell.", "not enough information", "C"),
        ("I think it cannot be determined.", "drums", None),
        ("There is not enough information to tell.", "drums", None),
        ("I can't tell whether it is a piano or not a piano.", "not a piano", None),
    ],
)
def test_an_options_own_words_are_no_refusal(reply, option, read):
    found = choices.read_answer(reply, ("piano", "violin", option))
    assert (found.letter, found.refused) == (read, read is None)
