"""``audiometry score --metric`` from the outside."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from audiometry.files.run_folder import BenchmarkStamp, RunFolder, RunInfo
from audiometry.run import layout

CARD = '[benchmark]\nname = "made"\nversion = "1"\n[[task]]\nname = "read"\nkind = "transcript"\n'
FAILURE = {"text": None, "error": {"kind": "timeout", "message": "late"}}


@pytest.fixture
def open_run(make_benchmark, tmp_path):
    """``open_run([(reference, reply)…])`` writes a run over open items; ``card`` and fields of all items follow."""
    from audiometry import bench

    def make(rows, card=CARD, **fields):
        items = [
            {"id": f"i{n}", "task": "read", "options": [], "answer": due} | fields for n, (due, _) in enumerate(rows)
        ]
        folder = make_benchmark(items, card=card, clips=False)
        loaded = bench.load(folder, absent=())  # scoring needs no clips
        run = RunFolder(tmp_path / f"run-{len(list(tmp_path.iterdir()))}")
        run.write_info(
            RunInfo(
                benchmark=BenchmarkStamp(name="made", version="1", source=str(folder), sha256=loaded.sha256),
                model="made/by-hand",
                parameters={},
                prompt=layout.stamp("ours", "audio-first"),
                seed=0,
                variants=("plain",),
                n_items=len(rows),
                versions={},
                started="2026-01-01T00:00:00Z",
            )
        )
        said = [{"text": reply} if isinstance(reply, str) else reply for _, reply in rows]
        lines = [json.dumps({"item": f"i{n}", "variant": "plain", "attempts": 1} | one) for n, one in enumerate(said)]
        run.replies_path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return run.path

    return make


def test_json_holds_every_metric_under_its_name(cli, open_run):
    run = open_run([("the cat sat", "the cat sat"), ("a dog ran", "a dog walked")])
    said = cli("score", run, "--metric", "wer", "--metric", "token-f1", "--metric", "bleu", "--json")
    assert (said.code, said.err) == (0, "")
    assert {key: said.json[key] for key in ("run", "benchmark", "model", "n_items", "n_unscored")} == {
        "run": str(run), "benchmark": "made", "model": "made/by-hand", "n_items": 2, "n_unscored": 0,
    }  # fmt: skip
    found = said.json["scores"]
    assert list(found) == ["wer", "token-f1", "bleu"]
    assert found["wer"]["value"] == pytest.approx(1 / 6)
    assert found["token-f1"]["value"] == pytest.approx((1 + 1 / 2) / 2)
    promised = {
        "signature",
        "value",
        "interval",
        "n_items",
        "n_answered",
        "n_failed",
        "direction",
        "range",
        "extras",
        "tasks",
        "categories",
    }
    assert promised <= found["wer"].keys()
    assert len((run / "ratings" / "metric-bleu.jsonl").read_text().splitlines()) == 2
    for name, one in found.items():
        kept = json.loads(RunFolder(run).score_path(name, one["signature"]).read_text())
        assert kept["scores"] == {name: one}


def test_several_runs_are_a_list_and_twice_the_same_is_once(cli, open_run):
    one, two = open_run([("a", "a")]), open_run([("a", "b")])
    said = cli("score", one, two, "--metric", "wer", "--metric", "wer", "--json")
    assert [run["scores"]["wer"]["value"] for run in said.json] == [0, 1]


def test_the_table_says_what_the_number_is_and_fits_80_columns(cli, open_run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    run = open_run(
        [("the cat sat", "the cat sat"), ("a dog ran", FAILURE), ("x y", ""), ("p q", "I'm sorry, I can't hear it.")]
    )
    said = cli("score", run, "--metric", "wer", "--metric", "chrf")
    assert said.code == 1
    flat = " ".join(said.out.split())
    assert "Errors per reference word, 0 or more; lower is better." in flat
    assert "ChrF, 0 to 100; higher is better." in flat
    assert "task word error rate 95 % bounds items answered refused empty failed" in flat
    assert "Incomplete: 1 × no reply in time. At worst " in flat
    assert "Every item's score: ratings/metric-wer.jsonl" in flat
    assert "\x1b" not in said.out


def test_hostile_names_and_replies_do_not_reach_the_terminal(cli, open_run):
    card = CARD.replace('kind = "transcript"\n', 'kind = "transcript"\ntitle = "[red]x\\u001b[31my[/red]"\n')
    said = cli("score", open_run([("a", "\x1b[2J[bold]")], card=card), "--metric", "wer")
    assert "\x1b" not in said.out
    assert "[red]" in said.out


@pytest.mark.parametrize(
    ("metric", "says"),
    [
        ("wert", "unknown measure 'wert'; did you mean 'wer'?; or give a program, exec/COMMAND"),
        ("wer?x=1", "unknown option of measure 'wer' 'x'"),
        ("exec/no-such-program-here", "there is no program 'no-such-program-here' to start"),
    ],
)
def test_a_wrong_metric_is_a_usage_error_of_one_line(cli, open_run, metric, says):
    said = cli("score", open_run([("a", "a")]), "--metric", metric, "--json")
    assert (said.code, said.out) == (2, "")
    assert says in said.err
    assert len(said.err.strip().splitlines()) == 1


def test_a_run_without_open_items_cannot_be_measured(cli, open_run):
    card = CARD.replace("transcript", "choice")
    said = cli("score", open_run([("a", "A")], card=card, options=["a", "b"]), "--metric", "wer")
    assert said.code == 2
    assert "wer measures tasks of the kind open or transcript, and this run of made was asked none" in said.err


def test_a_metric_stands_beside_a_profile_where_items_of_both_kinds_are(cli, make_benchmark, open_run):
    card = CARD + '[[task]]\nname = "sounds"\n'
    run = open_run([("a b", "a b")], card=card)
    said = cli("score", run, "--metric", "wer", "--json")
    assert said.json["scores"]["wer"]["value"] == 0


def test_a_folder_that_takes_no_ratings_is_one_line(cli, open_run):
    run = open_run([("a", "a")])
    (run / "ratings").write_text("in the way")
    said = cli("score", run, "--metric", "wer")
    assert said.code == 1
    assert "Not kept: cannot write" in said.err
    assert "0.000" in said.out


def test_a_program_that_fails_leaves_a_number_of_the_rest_and_says_so(cli, open_run, tmp_path):
    path = tmp_path / "metric.py"
    path.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    score = 0.25 if asked['item'] != 'i1' else 'none'\n"
        "    print(json.dumps({'item': asked['item'], 'score': score}), flush=True)\n",
        encoding="utf-8",
    )
    said = cli("score", open_run([("a", "a")] * 3), "--metric", f"exec/{sys.executable} {path}", "--json")
    (found,) = (one for name, one in said.json["scores"].items() if name != "wer")  # which stays beside it
    assert said.code == 1
    assert (found["value"], found["n_answered"], found["n_unjudged"], found["bounds"]) == (0.25, 2, 1, None)
    assert found["failures"] == {"not-a-number": 1}
    assert (
        "no score for 1 of the replies, first for that to item 'i1': score 'none' is not a finite" in found["notes"][0]
    )
    run = open_run([("a", "a")] * 2)
    for n_before in (0, 2):
        said = cli("score", run, "--metric", f"exec/{sys.executable} {path}", "--json")
        notes = [note for one in said.json["scores"].values() for note in one["notes"]]
        (kept,) = (run / "judge").glob("metric-*.jsonl")
        assert any("gave before and is not asked" in note and note.endswith(str(kept)) for note in notes) == (
            n_before > 0
        )


def test_help_names_the_metrics_and_neither_it_nor_a_plain_score_loads_them(cli, make_benchmark):
    assert "wer, cer, bleu, chrf, rouge-l, token-f1, exact-match" in " ".join(cli("score", "--help").out.split())
    code = (
        "import sys; from audiometry.cli.main import run\ntry: run(['score', '--help'])\nfinally: print(*sys.modules)"
    )
    env = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=env).stdout
    assert {"sacrebleu", "rapidfuzz", "nltk", "numpy", "audiometry.score.measures.wer"}.isdisjoint(loaded.split())


def test_metrics_are_listed(cli):
    rows = {row["name"]: row["about"] for row in cli("list", "metrics", "--json").json}
    *names, last = rows
    assert (names, last) == (sorted(names), "exec/COMMAND")
    assert {"accuracy", "bleu", "cer", "chrf", "macro-f1", "rouge-l", "token-f1", "wer"} <= set(names)
    assert all(rows.values())


def test_ctrl_c_ends_the_program_and_its_run_stays_as_it_was(open_run, tmp_path):
    path, mark = tmp_path / "metric.py", tmp_path / "pid"
    path.write_text(
        f"import os, sys, time\nopen({str(mark)!r}, 'w').write(str(os.getpid()))\n"
        "for line in sys.stdin: time.sleep(60)\n",
        encoding="utf-8",
    )
    run = open_run([("a", "a")])
    command = [sys.executable, "-m", "audiometry", "score", run, "--metric", f"exec/{sys.executable} {path}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        until = time.monotonic() + 30
        while not (mark.exists() and mark.read_text()) and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err.strip()) == (130, "", "audiometry: stopped")
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)
    assert not (run / "ratings").exists()


@pytest.mark.parametrize("command", ["score", "compare"])
def test_while_a_program_says_nothing_it_is_said_that_it_is_waited_for(cli, open_run, tmp_path, monkeypatch, command):
    from audiometry.cli import progress

    monkeypatch.setattr(progress, "WAITED_S", 0.02)
    monkeypatch.setattr(progress, "FILE_EVERY_S", 0.05)
    path = tmp_path / "slow.py"
    path.write_text(
        "import json, sys, time\n"
        "for line in sys.stdin:\n"
        "    time.sleep(0.3)\n"
        "    item = json.loads(line)['item']\n"
        "    print(json.dumps({'item': item, 'score': len(item)}), flush=True)\n"
    )
    runs = [open_run([("a dog", "a dog"), ("a cat", said)]) for said in ("a cat", "a bat")]
    folders = runs[:1] if command == "score" else runs
    found = cli(command, *folders, "--measure", f"exec/{sys.executable} {path}")
    assert f"waiting for '{sys.executable}"[:30] in found.err
    assert " to answer, 0:00\n" in found.err
