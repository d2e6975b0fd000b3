"""Programs that real PaddlePaddle has run do the same here: lines, values, exceptions."""

import functools
import re
from pathlib import Path

import numpy as np
import pytest

from comparing import same_texts
from penstock import paddle
from penstock.paddle._creation import Names
from penstock.paddle._tensor import Leaf
from penstock.paddle.nn import initializer
from penstock.testing import use_engine
from recorded import ORACLES, Difference, Outcome, Recorded, record_in

WAITING: dict[str, str] = {}
"""Programs that need missing functions. One that runs correctly must leave this list."""

DIFFERENT: dict[str, Difference] = {}

REWORDED = {
    "backward_twice": "backward twice for the same subgraph without setting retain_graph=True.\n  at tests",
}
"""Exceptions of Paddle's type that say the same in other words."""

UNDRAWN = ("summaries",)
"""Programs that show only the names and shapes of parameters: drawing 150 million numbers takes seconds."""


def core(message: str) -> str:
    """The part of Paddle's message that is about the program, not about Paddle's source."""
    message = re.sub(r"^\(\w+\) ", "", message)
    message = re.sub(r"\s*\[Hint: .*", "", message, flags=re.DOTALL)
    return re.sub(r" \(at /paddle.*", "", message, flags=re.DOTALL).strip()


same = functools.partial(same_texts, rel=3e-7, abs=1e-7)
"""Whether texts are equal except for the last of the nine digits that Paddle prints of a float32."""


RECORD = record_in("paddle_programs.json")
PEER = Recorded("paddle", ORACLES / "paddle_programs", RECORD, core, DIFFERENT, REWORDED, same=same)


def run_program(path: Path) -> Outcome:
    # Paddle numbers its names from 0 in each process.
    Names.restart()
    paddle.set_printoptions(precision=8, threshold=1000, edgeitems=3, sci_mode=False, linewidth=80)
    static = paddle.static
    try:
        with static.scope_guard(static.Scope()), static.program_guard(static.Program(), static.Program()):
            return PEER.run(path)
    finally:
        paddle.disable_static()


def test_every_program_has_a_record():
    assert sorted(RECORD) == sorted(path.stem for path in PEER.programs.glob("*.py"))
    assert len(RECORD) - len(WAITING) > 100


def test_the_lists_name_programs_and_each_only_once():
    listed = [*WAITING, *DIFFERENT]
    assert len(listed) == len(set(listed))
    assert set(listed) | set(REWORDED) <= set(RECORD)


def test_reworded_exceptions_still_differ():
    for name, words in REWORDED.items():
        assert words not in core(RECORD[name]["exception"]["message"]), name


@pytest.mark.parametrize(
    ("printed", "alike"),
    [("[1.78525162]", True), ("[1.78525174]", True), ("[1.78525862]", False), ("(1.78525162)", False)],
)
def test_only_the_last_digit_may_differ(printed, alike):
    assert same([printed], ["[1.78525162]"]) is alike


def test_a_planted_difference_is_found():
    right = Outcome(RECORD["detach_cuts"]["stdout"], None, [])
    assert PEER.complaints("detach_cuts", right) == []
    assert PEER.complaints("detach_cuts", Outcome(["9.0 6.0"], None, []))
    assert PEER.complaints("detach_cuts", Outcome(right.stdout, ValueError("planted"), []))
    assert PEER.complaints("backward_twice", Outcome(RECORD["backward_twice"]["stdout"], None, []))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.xfail(reason=WAITING[name]) if name in WAITING else ())
        for name in sorted(RECORD)
    ],
)
def test_program_does_what_paddle_does(name, monkeypatch):
    monkeypatch.chdir(ORACLES.parents[1])
    if name in UNDRAWN:
        for kind in (initializer.Normal, initializer.Uniform):
            monkeypatch.setattr(kind, "_made", lambda self, lengths, dtype: np.zeros(lengths, dtype))
    with use_engine("numpy"):
        found = PEER.complaints(name, run_program(PEER.programs / f"{name}.py"))
    assert not found, "\n".join(found)


def test_names_start_from_zero():
    Names.restart()
    assert Leaf.__name__ == "Tensor"
    assert paddle.to_tensor(1.0).name == "generated_tensor_0"
