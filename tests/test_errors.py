"""The error tree: exit codes, suggestions, and lines that are safe on a terminal."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry import errors


def tree(root=errors.AudiometryError):
    return {root} | {found for child in root.__subclasses__() for found in tree(child)}


def test_the_tree_drawn_is_the_tree():
    house = {error.__name__ for error in tree() if error.__module__ == "audiometry.errors"}
    drawn = {word for word in errors.__doc__.split() if word.endswith("Error")}
    assert house == drawn


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.UsageError("x"), 2),
        (errors.UnknownNameError("task", "x", []), 2),
        (errors.BenchmarkError("x"), 2),
        (errors.ModelError("timeout", "x"), 1),
        (errors.RunFolderError("x"), 2),
        (errors.StorageError("x"), 1),
        (errors.UnreadableAudioError("x"), 1),
    ],
)
def test_exit_codes(error, code):
    assert error.exit_code == code


def test_the_nearest_name_is_suggested_whatever_its_case():
    error = errors.UnknownNameError("task", "speeker_age", ["Speaker_Age", "Music_Mood"])
    assert str(error) == "unknown task 'speeker_age'; did you mean 'Speaker_Age'?"
    assert error.nearest == "Speaker_Age"


def test_without_a_near_name_all_are_listed():
    error = errors.UnknownNameError("model provider", "qqq", ["vllm", "openai"], hint="see `audiometry list models`")
    assert str(error) == "unknown model provider 'qqq'; known: openai, vllm; see `audiometry list models`"
    assert error.nearest is None


def test_a_long_list_is_cut_to_a_line():
    error = errors.UnknownNameError("task", "???", [f"t{i:02}" for i in range(30)])
    assert "t11, …" in str(error)
    assert "t12" not in str(error)
    assert "…" in errors.suggestion("???", [f"t{i:02}" for i in range(13)])
    assert "…" not in errors.suggestion("???", [f"t{i:02}" for i in range(12)])


def test_nothing_known():
    assert str(errors.UnknownNameError("profile", "x", [])) == "unknown profile 'x'"


def test_audio_errors_have_kinds_of_their_own():
    kinds = [error.kind for error in tree(errors.AudioError)]
    assert len(set(kinds)) == len(kinds) == 9


def test_model_errors_say_what_a_retry_needs():
    error = errors.ModelError("http-429", "slow down", retry=True, retry_after_s=2.0)
    assert (error.kind, error.retry, error.retry_after_s, error.fatal) == ("http-429", True, 2.0, False)


@given(st.text(max_size=400), st.integers(2, 120))
def test_shown_is_one_safe_line(text, width):
    out = errors.shown(text, width)
    assert len(out) <= width
    assert not any(unicodedata.category(c) in {"Cc", "Zl", "Zp"} for c in out)


def test_shown_keeps_what_fits():
    assert errors.shown("Grüße, 世界") == "Grüße, 世界"
    assert errors.shown("abcdef", 4) == "abc…"
    assert errors.shown("abcd", 4) == "abcd"


@given(st.text(max_size=200))
def test_visible_text_acts_on_no_terminal(text):
    out = errors.visible(text)
    assert all(c in "\n\t" or c.isprintable() for c in out)
    assert errors.visible(out) == out


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("a\x1b]0;x\x07", r"a\x1b]0;x\x07"),  # a terminal's title
        ("\x9b31m\x85\x7f\r\x00", r"\x9b31m\x85\x7f\r\x00"),
        ("\u202etxt.exe\u2069\u200f\u061c", r"\u202etxt.exe\u2069\u200f\u061c"),
        ("a\u200b\u2060\ufeff\u00adb\u3164\U000e0041", r"a\u200b\u2060\ufeff\xadb\u3164\U000e0041"),
        ("a\u2028b\u2029", r"a\u2028b\u2029"),
        ("\ud800", r"\ud800"),
        ("a\u00a0b\u3000c", "a b c"),
        ("e" + "\u0301" * 6, "e" + "\u0301" * 4 + r"\u0301\u0301"),
        ("Việt e\u0323\u0302\u0301 한국어 עִבְרִית ❤\ufe0f", "Việt e\u0323\u0302\u0301 한국어 עִבְרִית ❤\ufe0f"),
    ],
)
def test_what_is_made_visible(text, out):
    assert errors.visible(text) == out


def test_a_nearest_name_is_bounded_in_time():
    assert errors.nearest("x" * 1_000_000, ["options", "answer"]) is None
    assert errors.suggestion("Opions", ["options", "answer"]) == "did you mean 'options'?"
    assert errors.suggestion("x", []) == ""


@pytest.mark.parametrize(
    "problem",
    [
        ImportError("/lib/libm.so: failed to map segment from shared object"),
        ImportError("/lib/x.so: cannot allocate memory in static TLS block"),
        SystemError("Cannot allocate memory"),
        OSError("libsndfile.so: failed to map segment"),
    ],
    ids=repr,
)
def test_a_library_for_which_there_is_no_memory_is_a_shortage(problem):
    assert errors.short_of(problem) == errors.short_of(MemoryError())
    assert not errors.short_of(ImportError("No module named x"))


def test_a_shortage_that_is_known_as_one_keeps_its_words():
    assert errors.short_of(errors.ShortageError("clip.wav cannot be read now")) == "clip.wav cannot be read now"
