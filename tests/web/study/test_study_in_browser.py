"""The pages of a study in a real browser: keys alone, axe, both themes, phone width, no id left behind."""

import pytest

pytestmark = pytest.mark.browser

PID = "5f1111111111111111111111"
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture
def visit(browser):
    """Open the study by a recruiter's link; what the console says is in ``page.said``."""

    def call(port, pid=PID, width=1280, scheme="light", context=None):
        context = context or browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page = context.new_page()
        page.said = []
        page.on("console", lambda one: page.said.append(one.text))
        page.on("pageerror", lambda one: page.said.append(str(one)))
        page.goto(f"http://127.0.0.1:{port}/?PROLIFIC_PID={pid}&STUDY_ID=s&SESSION_ID=x")
        return page

    return call


def at(page, step):
    page.wait_for_selector(f"html[data-step={step}] h1")


def judge(page):
    """A unit of the review, approved."""
    page.wait_for_selector(".unit h1")
    page.wait_for_timeout(400)  # until keys are heard again
    page.keyboard.press("a")


@pytest.mark.parametrize(("width", "scheme"), [pytest.param(1280, "light", marks=pytest.mark.slow), (360, "dark")])
def test_from_the_link_to_the_code_by_keys_alone(inside, visit, axe, width, scheme):
    page = visit(inside(n=2).port, width=width, scheme=scheme)
    seen = []

    def looked(step):
        at(page, step)
        seen.append(step)
        assert axe(page) == []
        assert page.evaluate(OVERFLOW) == 0
        assert page.evaluate("() => document.activeElement.tagName") == "H1"  # where a screen reader goes on
        assert PID not in page.evaluate("() => location.href + document.documentElement.outerHTML + document.cookie")

    def press(*keys):
        for key in keys:
            page.keyboard.press(key)

    looked("consent")
    page.locator("#agree").focus()
    press("Enter")
    looked("screening")
    page.locator("form .button.main").focus()
    press("Enter")  # nothing is chosen
    assert page.locator("#problem").inner_text() == "Please choose one."
    assert page.evaluate("() => document.activeElement.name") == "hearing"
    press(" ", "Enter")
    looked("demographics")
    page.locator("#none").focus()
    press("Enter")
    looked("instructions")
    page.locator("#begin").focus()
    press("Enter")
    for _ in range(2):
        page.wait_for_selector(".unit h1")
        assert page.locator("#stop").inner_text() == "Stop, or something is wrong"
        assert axe(page) == []
        judge(page)
        page.wait_for_selector("html[data-step=check] h1, html[data-step=complete] h1")
        while page.evaluate("() => document.documentElement.dataset.step") == "check":
            looked("check")
            asked = page.locator("legend").inner_text()
            page.locator(f"input[value='{'Rather not' if 'Rather not' in asked else 'Blue'}']").focus()
            press(" ", "Enter")
            page.wait_for_function("(was) => document.querySelector('legend')?.textContent.trim() !== was", arg=asked)
            page.wait_for_selector(".unit h1, html[data-step=check] h1, html[data-step=complete] h1")
    looked("complete")
    assert page.locator("#code").inner_text() == "C-COMPLETE"
    assert page.locator("a.button.main").get_attribute("href").endswith("cc=C-COMPLETE")
    assert page.said == []
    page.go_back()
    at(page, "complete")


def click(page, selector, step):
    page.click(selector)
    at(page, step)


@pytest.mark.slow
def test_one_looks_how_to_stop_goes_on_and_reports_trouble(inside, visit, axe):
    found = inside(n=2)
    page = visit(found.port)

    at(page, "consent")
    click(page, "#agree", "screening")
    page.check("input[value=Yes]")
    click(page, "form .button.main", "demographics")
    click(page, ".stop a", "demographics")  # the page on which one stops
    page.wait_for_selector("#trouble")
    assert axe(page) == []
    click(page, "#on", "demographics")
    click(page, "#none", "instructions")
    page.click("#begin")
    page.wait_for_selector(".unit h1")
    page.click("#stop")
    page.wait_for_selector("#withdraw")
    page.click("#withdraw")
    page.wait_for_selector("dialog[open]")
    assert axe(page) == []
    page.keyboard.press("Escape")
    page.fill("#what", "<img src=x onerror=alert(1)> no sound")
    click(page, "#trouble", "technical_failure")
    assert page.locator("#code").inner_text() == "C-TROUBLE"
    again = visit(found.port)  # another browser: nothing of the first is there but what the server keeps
    at(again, "technical_failure")
    assert again.locator("#code").inner_text() == "C-TROUBLE"


@pytest.mark.slow
def test_every_way_out_is_told_with_its_code(inside, visit):
    found = inside(n=2)
    page = visit(found.port, "ben")
    at(page, "consent")
    click(page, "#refuse", "no_consent")
    assert page.locator("#code").inner_text() == "C-NOCONSENT"
    page = visit(found.port, "cara")
    at(page, "consent")
    click(page, "#agree", "screening")
    page.check("input[value=No]")
    click(page, "form .button.main", "screened_out")
    assert "You are paid" in page.locator("main").inner_text()
    page = visit(found.port, "dora")
    at(page, "consent")
    click(page, "#agree", "screening")
    page.click(".stop a")
    page.wait_for_selector("#withdraw")
    page.click("#withdraw")
    click(page, "#sure", "withdrawn")
    assert page.locator("#code").count() == 0
    assert "return your submission" in page.locator("main").inner_text()
    page = visit(found.port, "no body")
    page.wait_for_selector("h1")
    assert "by the link" in page.locator("main").inner_text()
    assert page.url.endswith("/study#nobody")


@pytest.mark.slow
def test_a_server_that_is_gone_is_said_to_be_and_what_was_chosen_stays(served, visit):
    found = served(n=2)
    page = visit(found.port)
    at(page, "consent")
    page.click("#agree")
    at(page, "screening")
    page.check("input[value=Yes]")
    found.end()
    page.click("form .button.main")
    page.wait_for_selector("#problem .notice")
    assert "cannot be reached" in page.locator("#problem").inner_text()
    assert page.locator("input[value=Yes]").is_checked()
    found.start()
    page.click("#problem button")
    at(page, "demographics")
