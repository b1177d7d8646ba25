"""Judges that answer anything at all, asked for scores, letters and rulings: a verdict or none, and nothing breaks."""

import json

import pytest

MB = 1_000_000
# what a judge says, and what is read of it: the score, the letter, the share ruled correct; None: it has failed
HOSTILE = {
    "script": ("<script>alert(1)</script>", None, None, None),
    "script-and-verdict": ("<script>alert(1)</script>\n8 8", 8, None, None),
    "fenced-scores": ("```\n8 8\n```", 8, None, None),
    "fenced-letter": ("```json\nA\n```", None, "A", None),
    "fenced-ruling": ("```\nCORRECT\n```", None, None, 1.0),
    "unclosed-fence": ("```" * 500, None, None, None),
    "a-megabyte": ("word " * (MB // 5), None, None, None),
    "a-megabyte-of-digits": ("7" * MB, None, None, None),
    "a-megabyte-then-scores": ("word " * (MB // 5) + "\n8 8", 8, None, None),
    "half-a-character": ("\ud800 \udfff", None, None, None),
    "half-a-character-and-scores": ("\ud83d\n8 8", 8, None, None),
    "NaN": ("NaN NaN", None, None, None),
    "infinite": ("Infinity -Infinity", None, None, None),
    "exponents": ("1e309 1e309", None, None, None),
    "brackets": ("[" * 10_000, None, None, None),
    "braces": ('{"a":' * 10_000, None, None, None),
    "boxes": ("\\boxed{" * 500 + "A" + "}" * 500, None, "A", None),
    "no-letter": ("?", None, None, None),
    "several-objects": ('{"score": 8}\n{"score": 3}', 5.5, None, None),
    "three-objects": ('{"score": 8}\n{"score": 3}\n{"score": 1}', None, None, None),
    "several-verdicts": ("8 8\n2 2", None, None, None),
    "both-rulings": ("CORRECT\nINCORRECT", None, None, None),
    "terminal-codes": ("\x1b[2J\x1b]0;title\x07\x9b31m", None, None, None),
    "nul": ("\x00\x00", None, None, None),
    "right-to-left": ("\u202e8 8\u202c", None, None, None),
    "unending-reasoning": ("<think>" * 2_000, None, None, None),
    "empty": ("", None, None, None),
}


@pytest.fixture
def folder(make_benchmark, cli, tmp_path):
    """A run with a choice and an open question for each of them, and a reply that rules read nothing from."""
    card = '[benchmark]\nname = "made/both"\nversion = "1"\n'
    card += "".join(f'[[task]]\nname = "pick {n}"\n[[task]]\nname = "tell {n}"\nkind = "open"\n' for n in HOSTILE)
    rows = [
        {"task": f"{what} {name}", "question": f"What is <{name}>?", "options": options, "answer": "a dog"}
        for name in HOSTILE
        for what, options in (("pick", ["a dog", "a cat"]), ("tell", []))
    ]
    model = "scripted/constant?text=the animal that barks"
    said = cli("run", make_benchmark(rows, card=card), "--model", model, "--no-probe", "-o", tmp_path / "r")
    assert said.code == 0, said.err
    return tmp_path / "r"


def test_whatever_a_judge_says_is_a_verdict_or_none(folder, cli, chat_server):
    server = chat_server(judge=json.dumps({"holds": {f"<{name}>": row[0] for name, row in HOSTILE.items()}}))
    ways = {
        "judge-score@strict": (),
        "strict": ("--align", "always"),
        "airbench-golden": ("--profile", "airbench-golden"),
    }
    for place, (called, words) in enumerate(ways.items()):
        found = cli("score", folder, "--judge", "openai/mock", "--base-url", server.url, *words, "--json")
        assert found.code == 1, found.err
        assert "Traceback" not in found.err
        tasks = found.json["scores"][called]["tasks"]
        for name, row in HOSTILE.items():
            one, read = tasks[f"{'pick' if place else 'tell'} {name}"], row[1 + place]
            assert (name, one["n_unjudged"]) == (name, int(read is None))
            if read is not None and place != 1:
                assert (name, one["value"]) == (name, pytest.approx(read))
    (letters,) = (folder / "ratings").glob("align-*.jsonl")
    lines = map(json.loads, letters.read_text().splitlines())
    picks = {f"item-{2 * n:05}": row[2] for n, row in enumerate(HOSTILE.values()) if row[2]}
    assert {line["item"]: line["choice"] for line in lines} == picks
    n = len(server.log())
    for words in ways.values():
        again = cli("score", folder, "--judge", "openai/mock", "--base-url", server.url, *words)
        assert not {"\x1b", "\x9b", "\x00", "\u202e"} & set(again.out + again.err)
    assert len(server.log()) == n, "what was said is not asked for again"
    for path in (folder / "judge").iterdir():
        assert all(isinstance(json.loads(line), dict) for line in path.read_bytes().splitlines())
    assert cli("report", folder, "-o", folder / "page.html").code == 0
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "<script>alert(1)" not in page
