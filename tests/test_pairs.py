"""Pairs of a wrong and a right program, in each vocabulary: the first is named by code, variable and line."""

from fnmatch import fnmatch

import pytest

from penstock.flow.report.data import as_data
from penstock.flow.tensorflow_pages import TENSORFLOW_PAGES, TENSORFLOW_PROGRAMS
from scripts import TOOLS, module_in

tool = module_in(TOOLS / "write_pairs.py")
PAIRS = tool.own_pairs()
DIALECTS = {"penstock": None, "tensorflow": "tensorflow", "paddle": "paddle"}


@pytest.fixture
def said(check):
    """Check a program of a vocabulary; return the findings, as other programs read them."""
    return lambda text, vocabulary: as_data(check(text, DIALECTS[vocabulary], warns=True))["findings"]


def ids(pair):
    return f"{pair.vocabulary}: {pair.name}"


@pytest.mark.parametrize("pair", [one for one in PAIRS if one.code], ids=ids)
def test_a_wrong_program_is_named_by_code_variable_and_line(pair, said):
    found = [one for one in said(pair.wrong, pair.vocabulary) if one["code"] == pair.code]
    hits = [one for one in found if pair.guilty in (one["line"], one["cause_line"])]
    assert hits and all(one["fix"] for one in hits)
    if pair.variables != ("-",):
        names = [name for one in hits for name in one["variables"]]
        assert names and all(any(fnmatch(name, want) for want in pair.variables) for name in names)


@pytest.mark.parametrize("pair", PAIRS, ids=ids)
def test_its_right_twin_is_left_alone(pair, said):
    assert tool.without_notes(said(pair.right, pair.vocabulary)) == []


def test_the_page_has_a_row_for_each_pair_and_names_the_codes():
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in tool.OWN_PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("| ")
    ][2:]
    assert [row[:2] for row in rows] == [[one.vocabulary, one.name] for one in PAIRS]
    for row, pair in zip(rows, PAIRS, strict=True):
        assert pair.code in row[2]
        assert "PS" not in row[5].replace("(PS", "")


def test_the_table_of_the_manuals_tensorflow_programs_has_a_row_for_each():
    begin, end = tool.MANUAL
    table = tool.PAGE.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if "PS" in line
    ]
    assert [row[0] for row in rows] == sorted(TENSORFLOW_PROGRAMS | TENSORFLOW_PAGES)
    for code, _, wrong, right in rows:
        assert code in wrong and right == "nothing"
