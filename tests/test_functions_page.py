"""docs/functions.md equals the output of tools/write_functions.py for the present functions."""

import functools

from scripts import TOOLS, module_in


@functools.cache
def tool():
    return module_in(TOOLS / "write_functions.py")


@functools.cache
def page():
    return tool().page()


def test_the_page_is_up_to_date():
    assert tool().PAGE.read_text(encoding="utf-8") == page(), "run python tools/write_functions.py"


def test_a_function_that_was_not_compared_is_distinguished_from_one_that_differs():
    written = tool()
    compared = {case.partition("(")[0].removeprefix("ps.") for case in written.CASES}
    rows = [line.split(" | ") for line in page().splitlines() if line.startswith("| `ps.")]
    cells = {cells[0].strip("|` ").removeprefix("ps."): cells[2].strip() for cells in rows}
    assert "" not in cells.values() and len(cells) > 200
    assert {name for name, cell in cells.items() if cell != written.NOT_COMPARED} == compared & set(cells)


def test_the_page_knows_classes_kinks_and_peers():
    text = page()
    assert "| `ps.floor` | flat |" in text
    assert "| `ps.argmax` | discrete |" in text
    assert "| `ps.stop_gradient` | wall |" in text
    assert "swapping changes nothing" in text
    assert "a value on the border is not cut" in text
