"""The arena inside a study, in a real browser: from the recruiter's link over votes and checks to the code."""

import pytest

pytestmark = pytest.mark.browser

WHERE = "html[data-step=check] h1, html[data-step=complete] h1, main[data-state=ready], main[data-state=typed]"


def step(page):
    """The study's step, or the state of the arena's page."""
    page.wait_for_selector(WHERE)
    return page.evaluate(
        "() => document.documentElement.dataset.step || document.querySelector('main').dataset.state",
    )


def vote(page, n):
    """A question, its two answers and a vote that is changed before one goes on."""
    if page.locator("main").get_attribute("data-state") == "ready":
        page.click("#type")
    page.fill("#question", f"Is it so? {n}")
    page.click("#send")
    page.wait_for_selector("main[data-state=replies]")
    assert f"{n} of 2" in page.locator(".far").inner_text()
    page.fill("#comment", "it is so")
    page.click("#model_a")
    page.wait_for_selector("main[data-state=voted]")
    assert page.locator("#reveal, #data, a[href='/board']").count() == 0
    page.reload()
    page.wait_for_selector("main[data-state=voted]")
    page.click("#tie")
    page.click("#next, #finish")
    page.wait_for_function("() => document.querySelector('main').dataset.state !== 'voted'")


@pytest.mark.slow
def test_votes_are_kept_when_one_goes_on_and_the_last_leads_to_the_code(served_arena, browser, axe):
    found = served_arena("", participants=2, n=2)
    page = browser.new_context().new_page()
    page.set_default_timeout(20_000)
    said = []
    page.on("pageerror", lambda one: said.append(str(one)))
    page.goto(f"http://127.0.0.1:{found.port}/?PROLIFIC_PID=anna&STUDY_ID=s&SESSION_ID=x")
    page.click("#agree")
    page.check("input[value=Yes]")
    page.click("form .button.main")
    page.click("#none")
    page.click("#begin")
    votes, checks = 0, 0
    while (now := step(page)) != "complete":
        if now == "check":
            asked = page.locator("legend").inner_text()
            page.check(f"input[value='{'Rather not' if 'Rather not' in asked else 'Blue'}']")
            page.click("form .button.main")
            page.wait_for_function(
                "(was) => document.querySelector('legend')?.textContent.trim() !== was",
                arg=asked,
            )
            checks += 1
            continue
        assert axe(page) == []
        vote(page, votes)
        votes += 1
    assert (votes, checks) == (2, 2)
    assert page.locator("#code").inner_text() == "C-COMPLETE"
    assert said == []
    page.go_back()
    assert step(page) == "complete"
