"""A study around a review, by HTTP against the command line in a process of its own."""

import json


def test_a_participant_goes_from_the_link_to_the_code(served, visitor, tmp_path):
    found = served(n=3)
    anna = visitor(found.port, "5f0000000000000000000001")
    assert (anna.came.status, anna.came.headers["location"]) == (303, "/study")
    assert anna.came.headers["referrer-policy"] == "no-referrer"
    assert "httponly" in anna.came.headers["set-cookie"].lower()
    for shown in (anna.say("step"), anna.say("consent", version="1", agreed=True)):
        assert "C-" not in json.dumps(shown)
    assert anna.through()["step"] == "work"
    shown = anna.work()
    assert (shown["step"], shown["code"]) == ("complete", "C-COMPLETE")
    assert shown["return_to"] == "https://app.prolific.com/submissions/complete?cc=C-COMPLETE"
    (row,) = found.sheet(tmp_path / "pay.csv").values()
    assert (row["suggestion"], row["amount"], row["done"]) == ("approve", "2.00", "3")
    assert len({line["rater"] for line in found.answers()}) == 1
