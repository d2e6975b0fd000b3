"""docs/map.md equals the present output of tools/write_map.py, and an addition costs one file or a few."""

import pytest

from scripts import TOOLS, module_in


@pytest.fixture(scope="module")
def drawn():
    return module_in(TOOLS / "write_map.py")


def test_the_map_shows_the_house_as_it_is(drawn):
    assert drawn.PAGE.read_text(encoding="utf-8") == drawn.page(), "run python tools/write_map.py"


def test_something_new_costs_one_file_and_a_finding_two(drawn):
    for kind, word, folder, _, tests in drawn.NEW:
        found = drawn.homes(word, folder)
        assert 1 <= len(found) <= (2 if kind == "a finding" else 1), f"{kind} costs {', '.join(found)}"
        for one in tests.split():
            assert (drawn.ROOT / "tests" / f"test_{one}.py").exists(), f"{kind}: there is no test_{one}.py"
