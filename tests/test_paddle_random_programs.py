"""Random programs that real PaddlePaddle has run show the same here."""

import json
import warnings

import pytest

from paddle_random_programs import differences, program, run
from penstock import paddle
from penstock.paddle._creation import Names
from penstock.testing import use_engine
from recorded import ORACLES

RECORD = json.loads((ORACLES / "paddle_random.json").read_text())


@pytest.mark.parametrize("one", RECORD, ids=[f"{one['kind']}-{one['seed']}" for one in RECORD])
def test_program_shows_what_paddle_shows(one):
    Names.restart()
    with use_engine("numpy"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = list(differences(run(one["statements"], paddle), one["seen"]))
    assert not found, "\n".join([*one["statements"], *found])


def test_the_record_is_of_the_programs_that_are_drawn():
    for one in RECORD:
        assert program(one["kind"], one["seed"]) == one["statements"], (one["kind"], one["seed"])


def test_a_planted_difference_is_found():
    one = next(one for one in RECORD if one["kind"] == "training")
    statements = [
        line.replace("found = network(x)", "found = network(x * 1.01)") for line in one["statements"]
    ]
    assert list(differences(run(statements, paddle), one["seen"]))
