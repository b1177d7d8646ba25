"""Templates are compiled once a process."""

import jinja2

from audiometry.report import compiled
from audiometry.report.pages import environment


def test_a_template_is_compiled_once_whatever_filters_a_page_adds(monkeypatch):
    compile_one, done = jinja2.Environment.compile, []
    monkeypatch.setattr(compiled, "_KEPT", {})
    monkeypatch.setattr(
        jinja2.Environment,
        "compile",
        lambda self, *given, **how: done.append(given) or compile_one(self, *given, **how),
    )
    for _ in range(3):
        environment().get_template("page.html.j2")
    assert len(done) == 1
