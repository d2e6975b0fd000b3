"""Mistakes in PaddlePaddle itself, from the catalogue and the pairs, and their repairs; right programs."""

import sys
from pathlib import Path

import pytest

paddle = pytest.importorskip("paddle", reason="PaddlePaddle is not installed: make test-frameworks")
sys.path.insert(0, str(Path(__file__).parents[1]))

import pitfalls  # noqa: E402
import test_pairs as pairs  # noqa: E402
from penstock.flow.check import inspect  # noqa: E402
from penstock.flow.report.data import as_data  # noqa: E402
from penstock.frameworks.paddle.source import Paddle  # noqa: E402
from penstock.running import run_script  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Programs run in PaddlePaddle, in dynamic mode."""
    monkeypatch.setattr(pitfalls, "DIALECTS", dict.fromkeys(pitfalls.DIALECTS))
    paddle.disable_static()
    paddle.seed(0)


# -- the catalogue ----------------------------------------------------------------------------------------


IN_PADDLE = {
    "05": "PS405 maker",  # PaddlePaddle computes with the written weight; the maker's gradients are both.
    "13": "nothing",  # A whole layer that no optimizer holds may be meant to stay.
    "18": "PS407 x",  # Its root is not finite.
    "24": "refused: RuntimeError",
    "25": "nothing",  # A tensor that was never told to learn.
    "33": "nothing",  # Flags are followed by their latest setting.
    "58": "nothing",  # Layers that were in the wrong mode from the beginning.
}
"""What is said in PaddlePaddle itself, where it differs from what is said on Penstock."""


def check_wrong(program, data, error):
    """Compares codes, lines and the number of variables: their names are others, those of the program."""
    for claim in pitfalls.claims(program):
        codes, *variables = claim.split()
        if claim.startswith(("refused: ", "told: ")) or claim == "nothing":
            pitfalls.check_wrong(program, data, error)
            continue
        said = [one for one in data["findings"] if one["code"] in codes.split("|")]
        assert said or "nothing" in codes, [(one["code"], one["variables"]) for one in data["findings"]]
        lines = pitfalls.wrong_lines(program)
        for one in said:
            assert len(one["variables"]) >= len(variables)
            stands = {one["line"], one["cause_line"]}
            free = "nothing" in codes or program.partition("/")[2] in IN_PADDLE
            assert free or not lines or stands & lines or stands == {None}, stands


@pytest.mark.parametrize("program", pitfalls.programs("paddle"))
def test_the_mistake_is_named_and_its_repair_is_not(program, tmp_path, monkeypatch):
    other = IN_PADDLE.get(program.partition("/")[2])
    if other is not None:
        monkeypatch.setattr(pitfalls, "claims", lambda _: [other])
    check_wrong(program, *pitfalls.report_on(program, "wrong", tmp_path, Paddle()))
    pitfalls.check_right(*pitfalls.report_on(program, "right", tmp_path, Paddle()))


# -- pairs ------------------------------------------------------------------------------------------------

PAIRS = [one for one in pairs.PAIRS if one.vocabulary == "paddle"]


def said(text, tmp_path):
    """Checks a program in PaddlePaddle; returns the findings, as other programs read them."""
    file = tmp_path / "train.py"
    file.write_text(text)
    report = inspect(str(file), lambda: run_script(str(file), None, []), None, source=Paddle())
    return as_data(report)["findings"]


OTHERS = {
    "adapter that forgets the freeze": (),  # Flags are followed by their latest setting.
    "average without the statistics": (),  # Statistics are parameters there, too.
    "head left out of the optimizer": (),  # A whole layer that no optimizer holds may be meant to stay.
    "mean of means over unequal parts": (),  # Means are not followed.
    "optimizer over the wrong network": ("PS401",),  # On the line of the layer.
    "penalty on a copied vector": ("PS101",),  # The copy is made by an operation that is not seen.
    "weight made of data and never told to learn": (),  # A tensor that was never told to learn.
}
"""What is said in PaddlePaddle itself of other pairs."""


@pytest.mark.parametrize("pair", [one for one in PAIRS if one.name in OTHERS], ids=pairs.ids)
def test_limits(pair, tmp_path):
    codes = [one["code"] for one in said(pair.wrong, tmp_path) if one["severity"] != "note"]
    assert tuple(codes) == OTHERS[pair.name]


@pytest.mark.parametrize("pair", [one for one in PAIRS if one.code and one.name not in OTHERS], ids=pairs.ids)
def test_a_wrong_program_is_named_by_code_variable_and_line(pair, tmp_path):
    found = [one for one in said(pair.wrong, tmp_path) if one["code"] == pair.code]
    hits = [one for one in found if pair.guilty in (one["line"], one["cause_line"])]
    assert hits and all(one["fix"] for one in hits)
    if pair.variables != ("-",):
        assert any(one["variables"] for one in hits)


@pytest.mark.parametrize("pair", PAIRS, ids=pairs.ids)
def test_its_right_twin_is_left_alone(pair, tmp_path):
    assert pairs.tool.without_notes(said(pair.right, tmp_path)) == []


# -- right programs ---------------------------------------------------------------------------------------

RIGHT = sorted((Path(__file__).parents[1] / "programs/right/paddle").glob("*.py"))


@pytest.mark.parametrize("file", RIGHT, ids=lambda file: file.stem)
def test_there_is_nothing_to_say_of_a_right_program(file):
    report = inspect(str(file), lambda: run_script(str(file), None, []), None, source=Paddle())
    assert report.error is None
    assert [one for one in report.findings if one.severity != "note"] == []
