"""Programs with `paddle.Model` that real PaddlePaddle has run do the same here: losses, weights, errors."""

import functools

import pytest

from comparing import same_texts
from penstock import paddle
from penstock.paddle._creation import Names
from penstock.testing import use_engine
from recorded import ORACLES, Difference, Recorded, record_in
from test_paddle_programs import core

DIFFERENT = {
    "model_early_stopping": Difference(
        "the rate is lowered for the steps that follow; Paddle's callback sets a number that no step reads",
        {
            5: "Epoch 4: ReduceLROnPlateau reducing learning rate to 0.125.",
            7: "Epoch 5: ReduceLROnPlateau reducing learning rate to 0.1.",
        },
    ),
}
REWORDED: dict[str, str] = {}


same = functools.partial(same_texts, rel=2e-4, abs=2e-4)
"""Whether texts are equal except for the rounding of numbers after many steps."""


RECORD = record_in("paddle_fit_programs.json")
for _one in RECORD.values():
    # Paddle's own: its model makes tensors of its loader's tensors.
    _one["warnings"] = [each for each in _one["warnings"] if "To copy construct" not in each["text"]]
PEER = Recorded("paddle", ORACLES / "paddle_fit_programs", RECORD, core, DIFFERENT, REWORDED, same=same)


def test_every_program_has_a_record():
    assert sorted(RECORD) == sorted(path.stem for path in PEER.programs.glob("*.py"))
    assert len(RECORD) >= 14


@pytest.mark.parametrize("name", sorted(RECORD))
def test_program_does_what_paddle_does(name, monkeypatch):
    monkeypatch.chdir(ORACLES.parents[1])
    Names.restart()
    paddle.set_printoptions(precision=8, threshold=1000, edgeitems=3, sci_mode=False, linewidth=80)
    with use_engine("numpy"):
        outcome = PEER.run(PEER.programs / f"{name}.py")
    found = PEER.complaints(name, outcome)
    assert not found, "\n".join(found)
