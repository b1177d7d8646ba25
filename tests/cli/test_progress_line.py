"""The line that tells how a run gets on: over and over on a terminal, now and then in a file."""

import io
import re
import sys

import click
import pytest

from audiometry.cli import progress
from audiometry.dispatch.tally import Price, Tally
from audiometry.records import Failure, ReplyRecord
from audiometry.run.earlier import Reuse


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """Time that only passes when told: ``clock[0] += 1``."""
    now = [1000.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def told(monkeypatch):
    """What stands on standard error; the terminal has 100 columns."""
    monkeypatch.setenv("COLUMNS", "100")

    def use(*, terminal):
        out = Terminal() if terminal else io.StringIO()
        monkeypatch.setattr(sys, "stderr", out)
        return out

    return use


def reply(**fields):
    return ReplyRecord(item="a", attempts=1, **fields)


def counted(*records, price=None):
    tally = Tally(price)
    for record in records:
        tally.add(record)
    return tally


def test_on_a_terminal_one_line_is_written_over(told, clock):
    out = told(terminal=True)
    line = progress.ProgressLine()
    line.start(100, 20)
    assert out.getvalue() == "Going on: 20 of 100 are there already.\n"
    tally = counted(*(reply(text="A", tokens_in=900, tokens_out=100) for _ in range(20)), price=Price(tokens_in=1000.0))
    line.watch(reply(text="A"), tally)
    assert out.getvalue().count("\r") == 0  # short work needs no progress
    clock[0] += 10
    line.watch(reply(text="A"), tally)
    shown = out.getvalue().rpartition("\r")[2]
    assert len(shown) == 99
    assert shown.startswith("█████████░░░░░░░░░░░░░░░  40/100  2.0/s  ")
    assert "20,000 tokens" in shown
    assert "failed" not in shown
    line.watch(reply(text="A"), tally)
    assert out.getvalue().count("\r") == 1  # not again at once
    clock[0] += 0.3
    line.watch(reply(text="A"), tally)
    assert out.getvalue().count("\r") == 2
    line.end()
    line.end()
    assert out.getvalue().endswith(" \n")
    assert out.getvalue().count("\n") == 2


def test_a_narrow_terminal_gets_what_fits(told, clock, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    out = told(terminal=True)
    line = progress.ProgressLine()
    line.start(10, 0)
    clock[0] += 2
    line.watch(reply(text="A"), counted(reply(text="A")))
    assert len(out.getvalue().strip("\r")) == 29


def test_no_number_is_cut_at_any_width(told, clock, monkeypatch):
    """Parts go whole, from the end of the line; the bar after them, and what is done last."""
    figure = r"\S*\d\S*"
    whole = None
    for columns in (200, *range(120, 2, -1)):
        monkeypatch.setenv("COLUMNS", str(columns))
        out = told(terminal=True)
        line = progress.ProgressLine()
        line.start(20_000, 0)
        clock[0] += 7.3
        failed = reply(error=Failure(kind="timeout", message="none"))
        line.watch(failed, counted(*[reply(text="A", tokens_in=731, tokens_out=200)] * 40, failed, failed))
        for waited in ("", "waiting for http://127.0.0.1:8123/v1, 1:04"):
            line.line.wait(waited)
            shown = out.getvalue().rpartition("\r")[2].rstrip()
            whole = whole or shown
            assert len(shown) < columns
            assert set(re.findall(figure, shown)) <= {*re.findall(figure, f"{whole}  {waited}"), "…,"}, columns
            assert ("42/20,000" in shown) == (columns > len("42/20,000")), columns


def test_in_a_file_a_whole_line_every_quarter_of_a_minute_says_what_failed(told, clock):
    out = told(terminal=False)
    line = progress.ProgressLine()
    line.start(10, 0)
    failed = reply(error=Failure(kind="timeout", message="none"))
    tally = counted(reply(text="A"), failed, failed)
    for seconds in (1, 13, 2):
        clock[0] += seconds
        line.watch(failed, tally)
    (only,) = out.getvalue().splitlines()
    assert "3/10" in only
    assert "2 failed" in only
    assert "\r" not in out.getvalue()
    line.stopping()
    assert out.getvalue().splitlines()[-1].startswith("Stopping: waiting for the replies under way.")


def test_the_last_state_is_told_and_no_time_left_before_a_few_replies(told, clock):
    for terminal in (True, False):
        out = told(terminal=terminal)
        line = progress.ProgressLine()
        line.start(45, 0)
        clock[0] += 20
        line.watch(reply(text="A"), counted(reply(text="A")))
        assert "1/45" in out.getvalue()
        assert "left" not in out.getvalue()
        line.watch(reply(text="A"), counted(*[reply(text="A")] * 44))
        line.watch(reply(text="A"), counted(*[reply(text="A")] * 45))
        line.end()
        last = out.getvalue().splitlines()[-1].rpartition("\r")[2].rstrip()
        assert last.startswith("█" * 24 + "  45/45  ")
        assert "left" not in last


def test_what_is_waited_for_stands_beside_what_is_counted(told, clock):
    out = told(terminal=True)
    line = progress.ProgressLine()
    line.start(100, 0)
    clock[0] += 10
    line.watch(reply(text="A"), counted(*[reply(text="A")] * 50))
    state = out.getvalue().rpartition("\r")[2].rstrip()
    line.line.wait("waiting for replies, 0:04")
    assert out.getvalue().rpartition("\r")[2].rstrip() == f"{state}  waiting for replies, 0:04"
    line.line.wait("x" * 60)
    bar = "█" * 12 + "░" * 12
    assert out.getvalue().rpartition("\r")[2].rstrip() == f"{bar}  50/100  {'x' * 60}"  # what is counted gives way
    line.line.wait("waiting: " + "x" * 200 + ", 1:04")
    assert out.getvalue().rpartition("\r")[2].rstrip() == f"{bar}  50/100  waiting: …, 1:04"
    assert {len(one) for one in out.getvalue().split("\r")[1:]} == {99}
    line.line.wait("")
    assert out.getvalue().rpartition("\r")[2].rstrip() == state


def test_what_was_found_of_earlier_replies_is_said_on_standard_error(told, clock, capsys):
    out = told(terminal=False)
    progress.ProgressLine().resume(10, Reuse())
    assert out.getvalue() == ""
    found = Reuse(
        here=4,
        changed=1,
        taken={"old": 2},
        taken_span={"old": ("2026-01-02", "2026-01-03")},
        served_at=("http://b/v1",),
        served_before=("http://a/v1",),
        aside=("replies-1.jsonl", 1),
        damaged=("runs/x: line 3 is no record",),
    )
    progress.ProgressLine().resume(10, found)
    assert out.getvalue().splitlines() == [
        "1 reply no longer answers what is asked, since a question or a clip was changed: asked anew.",
        "1 reply is set aside in replies-1.jsonl.",
        (
            "Took over 2 replies from old, of 2026-01-02 to 2026-01-03; --again asks anew, as is due if the server has "
            "another checkpoint since."
        ),
        (
            "Asked at another address than before: http://b/v1 (before: http://a/v1); what was answered there stays, "
            "--again asks anew."
        ),
        "Not taken over: runs/x: line 3 is no record",
        "Going on: 4 of 10 are there already.",
    ]
    assert capsys.readouterr().out == ""


def test_steps_are_counted_on_a_terminal_only_and_after_a_moment(told, clock):
    for terminal in (True, False):
        out = told(terminal=terminal)
        steps = progress.Steps("items")
        steps.show(1, 2000)
        clock[0] += 1.5
        steps.show(1000, 2000)
        steps.show(1001, 2000)
        steps.end()
        bar = "█" * 12 + "░" * 12
        states = [f"{bar}  1,000/2,000 items".ljust(99), f"{bar}  1,001/2,000 items".ljust(99) + "\n"]
        assert out.getvalue() == ("\r" + "\r".join(states) if terminal else "")


def test_the_width_a_command_was_given_goes_before_the_terminals(told, clock):
    out = told(terminal=True)
    with click.Context(click.Command("run"), terminal_width=41):
        line = progress.ProgressLine()
        line.start(10, 0)
        clock[0] += 2
        line.watch(reply(text="A"), counted(reply(text="A")))
    assert len(out.getvalue().strip("\r")) == 40
