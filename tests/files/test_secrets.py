"""Keys are taken out of whatever is written."""

import base64
import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry.errors import ModelError
from audiometry.files import atomic, secrets
from audiometry.files.journal import Journal
from audiometry.files.secrets import Scrubber
from audiometry.records import Failure, ReplyRecord


def scrubber(environment):
    return Scrubber(environment)


@pytest.fixture(autouse=True)
def nothing_stated(monkeypatch):
    monkeypatch.setattr(secrets, "_stated", set())


def test_only_what_looks_like_a_key_is_taken_out():
    scrub = scrubber({"OPENAI_API_KEY": "sk-abcdef123", "HF_TOKEN": "hf_987654321", "HOME": "/root/abcdef"}).text
    assert scrub("sk-abcdef123 /root/abcdef, again sk-abcdef123: hf_987654321") == "*** /root/abcdef, again ***: ***"


def test_short_values_are_words():
    assert scrubber({"VLLM_API_KEY": "EMPTY", "A_TOKEN": ""}).text("EMPTY words") == "EMPTY words"


def test_a_key_that_contains_another():
    scrub = scrubber({"A_KEY": "abcdefgh", "B_KEY": "abcdefghijkl"}).text
    assert scrub("abcdefghijkl abcdefgh") == "*** ***"


def test_blanks_around_a_key_are_not_part_of_it():
    assert scrubber({"A_SECRET": " abcdefgh\n"}).text("it is abcdefgh.") == "it is ***."


def test_the_environment_is_what_counts(monkeypatch):
    monkeypatch.setenv("SOME_PASSWORD", "correct-horse")
    assert Scrubber().text("correct-horse battery") == "*** battery"


@pytest.mark.parametrize(
    "name",
    ["OPENAI_API_KEY", "MY_APIKEY", "KEY", "AWS_ACCESS_KEY_ID", "hf_token", "GITHUBTOKEN", "X_SECRET", "PGPASSWORD"],
)
def test_names_of_secrets(name):
    assert secrets.is_secret(name)


@pytest.mark.parametrize("name", ["HOME", "PATH", "PWD", "KEYMAP", "TOKENIZERS_PARALLELISM", "SSH_AUTH_SOCK", "MONKEY"])
def test_names_of_other_things(name):
    assert not secrets.is_secret(name)


def test_a_password_in_an_address_of_the_environment():
    scrub = scrubber({"HTTPS_PROXY": "http://me:correct-horse@proxy:3128", "URL": "https://host/a:b@c"}).text
    assert (
        scrub("http://me:correct-horse@proxy:3128 https://host/a:b@c") == "http://me:***@proxy:3128 https://host/a:b@c"
    )


def test_what_was_told_is_kept_too():
    secrets.keep("correct-horse", "short")
    assert scrubber({}).text("correct-horse short") == "*** short"


def test_secrets_leave_an_environment_unless_named():
    environment = {"A_KEY": "1", "B_TOKEN": "2", "HOME": "3"}
    assert secrets.without(environment) == {"HOME": "3"}
    assert secrets.without(environment, ["B_TOKEN"]) == {"B_TOKEN": "2", "HOME": "3"}


ODD = [
    'with"quote"s',
    "back\\slash\\",
    "grüße-schön",
    "tab\there-it-is",
    "per%20cent%2Fs",
    "sl/ash+plus=",
    "😀" * 4 + "smile",
]


@pytest.mark.parametrize("key", ODD)
def test_a_key_in_every_dress(key):
    scrub = scrubber({"A_KEY": key})
    for written in (key, json.dumps(key), json.dumps(key, ensure_ascii=False), json.dumps(json.dumps(key))[1:-1]):
        line = msgspec.json.encode({"text": written})
        told = msgspec.json.decode(scrub.document(line))["text"]
        assert "***" in told
        assert key[2:-2] not in told
        assert "***" in scrub.text(written)


@pytest.mark.parametrize("key", [*ODD, "nabcdefgh", "u1234abcd", '"},"text":"', "finish_reason", "prompt_sha256"])
def test_a_record_stays_a_record(tmp_path, monkeypatch, key):
    # a key that reads like the end of an escape, like JSON, or like the name of a field
    monkeypatch.setenv("ODD_KEY", key)
    record = ReplyRecord(item=f"i {key}", text=f"\n{key[1:]} \u1234 it is {key}.", finish_reason=key, attempts=1)
    with Journal(tmp_path / "replies.jsonl") as journal:
        kept = journal.append(record)
    (line,) = (tmp_path / "replies.jsonl").read_bytes().splitlines()
    assert msgspec.json.decode(line, type=ReplyRecord) == kept
    assert kept.text == f"\n{key[1:]} \u1234 it is ***."
    assert kept.finish_reason == "***"
    assert kept.item == record.item  # by which it is found again: it is the user's own


@given(st.text(min_size=8, max_size=20), st.text(max_size=30), st.text(max_size=30))
def test_any_key_in_any_text(key, before, after):
    scrub = scrubber({"A_KEY": key})
    record = ReplyRecord(
        item="i", text=before + key.strip() + after, error=Failure(kind="x", message=key), notes=before
    )
    clean = scrub.record(record)
    assert scrub.record(clean) == clean
    if len(key.strip()) >= secrets.SHORTEST:
        assert key.strip() not in (clean.text or "") or key.strip() in "***"


def test_every_field_of_a_record_is_covered(tmp_path, monkeypatch):
    key = "sk-live-0123456789"
    monkeypatch.setenv("A_KEY", key)
    record = ReplyRecord(
        item="i", text=key, error=Failure(kind=key, message=key), finish_reason=key, notes=key, audio_changes=(key,)
    )
    with Journal(tmp_path / "r") as journal:
        journal.append(record)
    assert key.encode() not in (tmp_path / "r").read_bytes()


def test_a_document_is_covered(tmp_path, monkeypatch):
    monkeypatch.setenv("A_KEY", "sk-live-0123456789")
    record = ReplyRecord(item="i", text="my sk-live-0123456789")
    atomic.write_document(tmp_path / "d.json", record)
    assert json.loads((tmp_path / "d.json").read_text())["text"] == "my ***"


def test_what_is_clean_is_not_touched():
    scrub = scrubber({"A_KEY": "sk-live-0123456789"})
    line = b'{"text":"B"}'
    assert scrub.document(line) is line
    record = ReplyRecord(item="i", text="B")
    assert scrub.record(record) is record


def test_half_a_key_is_not_shown(monkeypatch):
    monkeypatch.setenv("A_KEY", "k" * 300)
    assert str(ModelError("x", secrets.shown(f"it is {'k' * 300}", 100))) == "it is ***"


@pytest.mark.parametrize("key", ["sk-live-0123456789abcdef", "correct-horse", "pä~~??>>ss/+w", "abcdefgh"])
@pytest.mark.parametrize("before", ["", "x", "xy", "xyz", "Bearer "])
@pytest.mark.parametrize("after", ["", "!", "!!"])
def test_a_key_in_another_code(key, before, after):
    scrub = scrubber({"A_KEY": key})
    raw = f"{before}{key}{after}".encode()
    for coded in (base64.b64encode(raw), base64.urlsafe_b64encode(raw)):
        left = scrub.text(coded.decode())
        assert "***" in left
        assert len(left) <= len(coded) - (4 * len(key.encode()) // 3 - 1) + 3
    for coded in (raw.hex(), raw.hex().upper(), "".join(f"%{b:02x}" for b in raw), "".join(f"%{b:02X}" for b in raw)):
        around = len(coded) // len(raw) * (len(raw) - len(key.encode())) + 3
        assert len(scrub.text(coded)) == around


def test_other_texts_in_base64_stay():
    coded = base64.b64encode(b"nothing that is a secret of anybody").decode()
    assert scrubber({"A_KEY": "sk-live-0123456789abcdef"}).text(coded) == coded
