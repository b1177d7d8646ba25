"""No number of a document has what rounding leaves: 20.999999999999996 stood beside 21."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from audiometry.score.table import cleaned


def floats(found: Any) -> Iterator[float]:
    if isinstance(found, dict | list):
        for one in found.values() if isinstance(found, dict) else found:
            yield from floats(one)
    elif isinstance(found, float):
        yield found


@pytest.fixture
def runs(make_benchmark, make_run):
    folder = make_benchmark([{"task": f"t{n % 3}"} for n in range(35)], clips=False)

    def said(right):
        return make_run(folder, {f"item-{n:05}": "ABCD"[n % 4] if right(n) else "A" for n in range(35)})

    return said(lambda n: n % 7 != 0), said(lambda n: n % 3 == 0)


def test_documents_have_at_most_twelve_places(runs, cli):
    a, b = runs
    for words in (("score", a), ("compare", a, b)):
        found = list(floats(cli(*words, "--json").json))
        assert len(found) > 10
        assert [one for one in found if one != round(one, 12) or str(one) == "-0.0"] == []
    stored = [json.loads(path.read_text()) for path in (a / "scores").iterdir()]
    assert [one for one in floats(stored) if one != round(one, 12)] == []


def test_a_number_is_cleaned_however_deep():
    assert cleaned({"a": [(20.999999999999996, None)], "b": -0.0, "c": 7}) == {"a": [(21.0, None)], "b": 0.0, "c": 7}
