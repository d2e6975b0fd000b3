"""Gradients by targets other than variables: trees of arguments, and tensors, watched or not."""

import numpy as np
import pytest

import penstock as ps
from checking import report_on
from penstock.flow.asked import paths_of
from penstock.flow.report.data import as_data

TREE = """\
import penstock as ps
ps.random.seed(0)
params = {"body": [ps.random.normal((3, 4)), ps.zeros((4,))], "head": ps.random.normal((4, 1))}
x, y = ps.random.normal((8, 3)), ps.random.normal((8, 1))
def moved(params, slopes):
    if isinstance(params, dict):
        return {name: moved(one, slopes[name]) for name, one in params.items()}
    if isinstance(params, list):
        return [moved(one, slope) for one, slope in zip(params, slopes)]
    return params if slopes is None else params - 0.1 * slopes
"""


def rows(report):
    return {one["path"]: one for one in as_data(report)["variables"]}


def facts(report):
    return [
        (one["code"], tuple(one["variables"]), one["line"], one["cause_line"])
        for one in as_data(report)["findings"]
        if one["severity"] != "note"
    ]


LOOP = """\
def loss(params):
    hidden = ps.tanh(x @ params["body"][0] + params["body"][1])
    return ps.mean(({hidden} @ params["head"] - y) ** 2)
for _ in range(4):
    {slopes}(params)
    params = moved(params, slopes)
"""


@pytest.mark.parametrize("slopes", ["slopes = ps.grad(loss)", "value, slopes = ps.value_and_grad(loss)"])
def test_a_tree_is_reported_by_its_paths(slopes, check):
    report = check(TREE + LOOP.format(hidden="hidden", slopes=slopes))
    found = rows(report)
    assert list(found) == ["params/body/0", "params/body/1", "params/head"]
    assert {one["bits"] for one in found.values()} == {"1 1 1 0 1"}
    assert {one["gradient"] for one in found.values()} == {"flows"}
    # The fourth gradient is used too, but no call received a value computed from it.
    assert [one["times"] for one in found["params/head"]["writes"]] == [3]
    assert [one["line"] for one in found["params/head"]["writes"]] == [10]
    assert report.steps == 3 and facts(report) == []


def test_leaves_without_a_gradient_count_like_variables(check):
    report = check(TREE + LOOP.format(hidden="ps.stop_gradient(hidden)", slopes="slopes = ps.grad(loss)"))
    assert facts(report) == [("PS106", ("params/body/0", "params/body/1"), 15, 13)]
    explanation = report.findings[0].explanation
    assert str(explanation.path[-1]) == "argument 'params/body/0'"
    assert rows(report)["params/body/0"]["bits"] == "1 1 0 0 0"
    assert rows(report)["params/head"]["bits"] == "1 1 1 0 1"


def test_changes_of_a_tree_are_measured(check):
    program = (
        "import penstock as ps\nw = ps.asarray([3.0, 4.0])\n"
        "def loss(w):\n    return 0.5 * ps.sum(w * w)\n"
        "for _ in range(3):\n    w = w - 0.5 * ps.grad(loss)(w)\n"
    )
    (writer,) = check(program).variables[0].writers.values()
    # The slope is w itself: from norm 5 to 2.5 to 1.25.
    assert writer.times == 2 and writer.mean == pytest.approx((2.5 + 1.25) / 2)


def test_a_gradient_that_is_differentiated_again_is_not_reported(check):
    program = (
        "import penstock as ps\nx = ps.asarray([1.0, 2.0])\n"
        "print(ps.hessian(lambda x: ps.sum(3.0 * x))(x), ps.jacobian(lambda x: 3.0 + 0.0 * x[0])(x))\n"
        "print(ps.hvp(lambda x: ps.sum(x), x, x), ps.grad(ps.grad(lambda x: x * x * x))(2.0))\n"
    )
    assert facts(check(program)) == []


def test_a_scalar_and_arguments_by_number(check):
    program = (
        "import penstock as ps\ndef loss(a, b, c):\n    return a * c\n"
        "print(ps.grad(loss, argnums=(0, 1))(2.0, 3.0, 4.0))\n"
    )
    report = check(program)
    assert facts(report) == [("PS101", ("b",), 4, 4)]
    assert report.findings[0].fix.endswith("or do not differentiate with respect to 'b'.")


TAPE = """\
import tensorflow as tf
x = tf.constant([1.0, 2.0]){more}
for _ in range(3):
    with tf.GradientTape() as tape:
        {watch}
        y = tf.reduce_sum({value} ** 2)
    print(tape.gradient(y, {asked}))
"""


@pytest.mark.parametrize(
    ("watch", "value", "asked", "expected"),
    [
        ("tape.watch(x)", "x", "x", []),
        ("pass", "x", "x", [("PS101", ("x",), 7, None)]),
        ("tape.watch(x)", "tf.stop_gradient(x)", "x", [("PS106", ("x",), 7, 6)]),
        ("tape.watch(x)", "tf.round(x)", "[x]", [("PS105", ("x",), 7, 6)]),
        ("tape.watch([x, z])", "x", "[x, z]", [("PS101", ("z",), 7, 7)]),
        ("tape.watch([x, z])", "x", "{'a': x, 'b': z}", [("PS101", ("b",), 7, 7)]),
        ("tape.watch([x, z])", "(x + z)", "[x, z]", []),
        ("tape.watch(x)", "x", "[x, z], unconnected_gradients='zero'", []),
    ],
)
def test_a_tensor_that_is_asked_for_counts_like_a_variable(watch, value, asked, expected, check):
    program = TAPE.format(more="; z = tf.constant([0.5, 0.5])", watch=watch, value=value, asked=asked)
    assert facts(check(program, "tensorflow")) == expected


def test_a_penalty_on_the_slope_at_the_data_is_left_alone(check):
    program = (
        "import penstock as ps\nps.random.seed(0)\nw = ps.Variable(ps.random.normal((3, 1)), name='w')\n"
        "adam = ps.optimizers.Adam(0.01)\nfor _ in range(3):\n    data = ps.random.normal((8, 3))\n"
        "    with ps.GradientTape() as tape:\n        with ps.GradientTape() as inner:\n"
        "            inner.watch(data)\n            score = ps.sum(ps.tanh(data @ w))\n"
        "        slope = inner.gradient(score, data)\n        loss = ps.mean((slope - 1.0) ** 2)\n"
        "    adam.apply_gradients([(tape.gradient(loss, w), w)])\n"
    )
    report = check(program)
    assert facts(report) == [] and [one.path for one in report.variables] == ["w", "data"]


def test_results_are_those_of_a_run_without_a_check(tmp_path):
    program = TREE + LOOP.format(hidden="hidden", slopes="slopes = ps.grad(loss)")
    found = {}
    exec(compile(program, "plain", "exec"), found)
    file = tmp_path / "program.py"
    end = (
        "import pathlib\nfile = pathlib.Path(__file__).with_suffix('.out')\n"
        "file.write_bytes(params['head'].numpy().tobytes())\n"
    )
    file.write_text(program + end)
    report_on(file)
    assert file.with_suffix(".out").read_bytes() == found["params"]["head"].numpy().tobytes()


def test_paths_of_registered_objects_and_of_names():
    tree = {"b": np.zeros(1), "a": (1.0, None, [2.0])}
    assert list(paths_of(tree, "params")) == ["params/a/0", "params/a/2/0", "params/b"]
    assert list(paths_of([ps.zeros(1), ps.zeros(1)], ["first", "second"])) == ["first", "second"]
