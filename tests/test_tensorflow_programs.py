"""Programs that real TensorFlow has run do the same here: lines, exceptions, warnings, log."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from penstock import tensorflow as tf
from penstock.testing import use_engine
from recorded import ORACLES, Difference, Outcome, Recorded, record_in

WAITING: dict[str, str] = {}
"""Programs that need missing functions. One that runs correctly must leave this list."""


ZEROTH_POWER = "x ** 0 is 1 for every x, also at 0 and below: its slope is 0, not NaN and not -0"
DIFFERENT = {
    "apply_all_none_caught": Difference(
        "the message of the exception goes on with the reason of each variable and its line",
        goes_on={0: (4, "Every gradient is None")},
    ),
    "kink_power_both": Difference(
        ZEROTH_POWER, {0: "[1.  0.  1.  0.5] [ 0.    0.    0.   -0.25] [0.0, 0.0, 0.0, 0.34657]"}
    ),
    "kink_power_scalar_exponents": Difference(
        ZEROTH_POWER, {0: "0 [1. 1. 1.] [0. 0. 0.]", 7: "0.0 [1. 1. 1.] [0. 0. 0.]"}
    ),
    "tape_output_gradients_as_numbers": Difference(
        "a list given as the weights of one target weighs its elements; TensorFlow takes the first "
        "number alone",
        {0: "tf.Tensor([ 2. 40.], shape=(2,), dtype=float32)"},
    ),
}

REWORDED = {
    "apply_pair_reversed": "object has no attribute '_unique_id': it is not a variable.",
    "apply_to_tensor": "object has no attribute '_unique_id': it is not a variable.",
    "rows_index_negative": "index -1 (at position [0]) is out of range for axis 0, which has 2 entries",
    "rows_index_out_of_range": "index 5 (at position [1]) is out of range for axis 0, which has 2 entries",
    "variable_attribute_assign_on_tensor": "'EagerTensor' object has no attribute 'assign'. Only a "
    "tf.Variable",
}
"""Exceptions of TensorFlow's type that say the same in other words."""


NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


def core(message: str) -> str:
    """The part of TensorFlow's message that is about the program, not the device or the kernel."""
    message = re.sub(r"\{\{function_node [^}]*\}\} ", "", message)
    message = re.sub(r"\n\t(; NodeDef| \[\[).*", "", message, flags=re.DOTALL)
    message = re.sub(r" for '\{\{node .*", "", message, flags=re.DOTALL)
    message = message.replace("tensorflow.python.framework.ops.EagerTensor", "EagerTensor")
    return re.sub(r" \[Op:\w+\].*$", "", message)


def plain(text: str) -> str:
    return text.replace("tensorflow.python.framework.ops.EagerTensor", "EagerTensor")


def by_tensorflow(
    programs: Path,
    record: Mapping[str, dict[str, Any]],
    different: Mapping[str, Difference],
    reworded: Mapping[str, str],
) -> Recorded:
    """Programs with TensorFlow's record of each."""
    return Recorded("tensorflow", programs, record, core, different, reworded, plain)


PROGRAMS = ORACLES / "programs"
RECORD = record_in("tensorflow_programs.json")
for _one in RECORD.values():
    # TensorFlow warns of functions that it traces often; here nothing is traced.
    _one["logged"] = [each for each in _one["logged"] if "tf.function retracing" not in each["text"]]
PEER = by_tensorflow(PROGRAMS, RECORD, DIFFERENT, REWORDED)
complaints = PEER.complaints


def run_program(path: Path) -> Outcome:
    tf.keras.backend.clear_session()
    return PEER.run(path)


def planted(**changes: Any) -> Outcome:
    """The outcome of the program `tape_used_up` under TensorFlow, with some changes."""
    path = PROGRAMS / "tape_used_up.py"
    try:
        exec(compile("\n" * 6 + "raise RuntimeError(words)", path, "exec"), {"words": USED_UP})
    except RuntimeError as error:
        raised = error
    right = {"stdout": ["tf.Tensor(6.0, shape=(), dtype=float32)"], "exception": raised, "warned": []}
    return Outcome(**{**right, **changes})


USED_UP = RECORD["tape_used_up"]["exception"]["message"]


def test_the_record_of_tensorflow_has_no_difference_from_itself():
    assert complaints("tape_used_up", planted()) == []


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"stdout": ["tf.Tensor(6.5, shape=(), dtype=float32)"]}, "printed"),
        ({"stdout": []}, "printed"),
        ({"exception": None}, "did not raise"),
        ({"exception": KeyError(USED_UP)}, "raised KeyError"),
        ({"exception": RuntimeError("spent")}, "said"),
        ({"exception": RuntimeError(USED_UP)}, "raised in line None"),
        ({"warned": [("UserWarning", "beware")]}, "warned"),
        ({"logged": [{"level": "WARNING", "text": "beware"}]}, "logged"),
    ],
)
def test_a_planted_difference_is_found(changes, complaint):
    assert any(one.startswith(complaint) for one in complaints("tape_used_up", planted(**changes)))


def test_every_program_has_a_record():
    assert sorted(RECORD) == sorted(path.stem for path in PROGRAMS.glob("*.py"))


def test_the_lists_name_programs_and_each_only_once():
    listed = [*WAITING, *DIFFERENT]
    assert len(listed) == len(set(listed))
    assert set(listed) | set(REWORDED) <= set(RECORD)
    assert not [name for name in WAITING if name.startswith("published_")]
    assert len(RECORD) - len(WAITING) > 250


def test_reworded_exceptions_still_differ():
    for name, words in REWORDED.items():
        assert words not in core(RECORD[name]["exception"]["message"]), name


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.xfail(reason=WAITING[name]) if name in WAITING else ())
        for name in sorted(RECORD)
    ],
)
def test_program_does_what_tensorflow_does(name, monkeypatch):
    monkeypatch.chdir(ORACLES.parents[1])
    # Digit for digit is NumPy's: other tests may have made a program hot, and XLA rounds otherwise.
    with use_engine("numpy"):
        found = complaints(name, run_program(PROGRAMS / f"{name}.py"))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", [name for name in sorted(RECORD) if name.startswith("published_")])
def test_published_program_does_the_same_on_the_compiled_tier(name):
    """XLA joins a product and a sum into one rounding, so the last digit may be another."""
    with use_engine("xla"):
        outcome = run_program(PROGRAMS / f"{name}.py")
    wanted = RECORD[name]["stdout"]
    assert [NUMBER.sub("#", line) for line in outcome.stdout] == [NUMBER.sub("#", line) for line in wanted]
    printed, numbers = ([float(n) for n in NUMBER.findall("\n".join(o))] for o in (outcome.stdout, wanted))
    assert printed == pytest.approx(numbers, rel=1e-6, abs=1e-7)
    assert (outcome.exception is None) == (RECORD[name]["exception"] is None)
