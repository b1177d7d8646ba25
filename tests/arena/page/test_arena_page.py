"""The arena's page in a real browser: from a question that is spoken to a vote, and on to the next."""

import pytest

pytestmark = pytest.mark.browser


def test_speak_hear_send_vote_and_see_who_it_was(visit, stand, at, axe):
    page = visit()
    at(page, "ready")
    page.click("#record")
    at(page, "recording")
    page.wait_for_timeout(1500)
    page.click("#stop")
    at(page, "listen")
    page.wait_for_function("() => document.querySelector('#length').textContent.includes('second')")
    page.click("#send")
    at(page, "replies")
    page.fill("#comment", "shorter")
    page.click("#model_a")
    at(page, "voted")
    page.click("#reveal")
    at(page, "revealed")
    page.click("#next")
    at(page, "ready")
    assert page.said == []
