"""Constraints: applied to the moved variables, in the same step, with a separate part in the ledger."""

import copy
import itertools
import subprocess
import sys

import numpy as np
import pytest

import penstock as ps
from penstock.errors import ArgumentError
from penstock.layers import constraints
from penstock.testing import check_tiers, use_engine


def clamped(w):
    return ps.minimum(w, 0.5)


def moving(w, optimizer, target=5.0):
    with ps.GradientTape() as tape:
        loss = ps.sum((w - target) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])


def test_an_update_and_its_constraint_are_one_step(tier):
    w = ps.Variable([0.0, 1.0], name="w")
    w.constraint = clamped
    optimizer = ps.optimizers.Adam(0.3)
    with ps.ledger(values="w") as ledger:
        for _ in range(6):
            moving(w, optimizer)
        ps.wait()
    np.testing.assert_array_equal(w.numpy(), [0.5, 0.5])
    own = [entry for entry in ledger if entry.variable == "w"]
    assert [entry.terms for entry in own] == [("gradient", "momentum"), ("constraint",)] * 6
    assert [entry.step for entry in own[::2]] == [entry.step for entry in own[1::2]]
    assert {entry.site.line for entry in own} == {entry.site.line for entry in own[:1]}
    for update, kept in itertools.pairwise(own):
        np.testing.assert_array_equal(kept.before, update.after)
    for kept in own[1::2]:
        # A value between two writes of one program is computed for the ledger, as the reference tier does.
        rounding = 0 if tier == "numpy" else 1
        np.testing.assert_array_max_ulp(kept.after, np.minimum(kept.before, np.float32(0.5)), rounding)


def test_a_constraint_is_no_second_writer(tmp_path):
    program = tmp_path / "constrained.py"
    program.write_text(
        "import penstock as ps\n"
        "w = ps.Variable([0.0, 1.0], name='w')\n"
        "w.constraint = ps.layers.constraints.NonNeg()\n"
        "optimizer = ps.optimizers.SGD(0.1)\n"
        "for _ in range(5):\n"
        "    with ps.GradientTape() as tape:\n"
        "        loss = ps.sum((w - 2.0) ** 2)\n"
        "    optimizer.apply_gradients([(tape.gradient(loss, w), w)])\n"
    )
    found = subprocess.run(
        [sys.executable, "-m", "penstock", "check", program], capture_output=True, text=True, check=True
    )
    assert "constraint line 8" in found.stdout and "PS202" not in found.stdout, found.stdout


def test_only_moved_variables_are_constrained(tier):
    moved, other = ps.Variable([2.0]), ps.Variable([2.0])
    moved.constraint = other.constraint = clamped
    moving(moved, ps.optimizers.SGD(0.1))
    assert moved.numpy() == 0.5 and other.numpy() == 2.0


@pytest.mark.parametrize("opened", [True, False])
def test_with_and_without_a_tape(tier, opened):
    w = ps.Variable([1.0, -1.0])
    w.constraint = constraints.NonNeg()
    optimizer = ps.optimizers.SGD(0.5)
    for _ in range(5):
        if opened:
            moving(w, optimizer, -3.0)
        else:
            optimizer.apply_gradients([(ps.asarray([1.0, -1.0]), w)])
    np.testing.assert_array_equal(w.numpy(), [0.0, 0.0] if opened else [0.0, 2.0])


def test_a_constraint_that_fails_leaves_nothing_of_the_update(tier):
    w, b = ps.Variable([1.0]), ps.Variable([1.0])

    def fails(value):
        raise RuntimeError("no")

    b.constraint = fails
    optimizer = ps.optimizers.SGD(0.5)
    with pytest.raises(RuntimeError):
        optimizer.apply_gradients([(ps.asarray([1.0]), w), (ps.asarray([1.0]), b)])
    b.constraint = lambda value: ps.ones((3,))
    with pytest.raises(ps.errors.ShapeError):
        optimizer.apply_gradients([(ps.asarray([1.0]), w), (ps.asarray([1.0]), b)])
    assert (w.numpy(), b.numpy(), optimizer.applied) == (1.0, 1.0, 0)
    b.constraint = None
    optimizer.apply_gradients([(ps.asarray([1.0]), w), (ps.asarray([1.0]), b)])
    assert (w.numpy(), b.numpy()) == (0.5, 0.5)


def test_a_captured_step_follows_its_constraints(tier):
    w = ps.Variable([0.0])
    limit = constraints.MaxNorm(1.0)
    optimizer = ps.optimizers.SGD(0.5)

    @ps.step
    def step():
        moving(w, optimizer)

    step(), step()
    assert w.numpy() == 5.0
    w.constraint = limit
    step()
    np.testing.assert_allclose(w.numpy(), 1.0, rtol=1e-6)
    limit.max_value = 2.0
    step()
    np.testing.assert_allclose(w.numpy(), 2.0, rtol=1e-6)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ps.layers.Dense(2, kernel_constraint="non_neg", bias_constraint=constraints.NonNeg()),
        lambda: ps.layers.Conv1D(2, 1, kernel_constraint="non_neg", bias_constraint="non_neg"),
        lambda: ps.layers.SeparableConv1D(
            2, 1, depthwise_constraint="non_neg", pointwise_constraint="non_neg", bias_constraint="non_neg"
        ),
        lambda: ps.layers.LayerNormalization(beta_constraint="non_neg", gamma_constraint="non_neg"),
        lambda: ps.layers.GroupNormalization(1, beta_constraint="non_neg", gamma_constraint="non_neg"),
        lambda: ps.layers.BatchNormalization(beta_constraint="non_neg", gamma_constraint="non_neg"),
        lambda: ps.layers.LSTM(
            2, kernel_constraint="non_neg", recurrent_constraint="non_neg", bias_constraint="non_neg"
        ),
    ],
)
def test_layers_hand_their_constraints_to_their_variables(make):
    layer = make()
    layer(ps.ones((2, 3, 4)))
    variables = layer.trainable_variables
    assert variables
    ps.optimizers.SGD(1.0).apply_gradients([(ps.full(v.shape, 10.0), v) for v in variables])
    for variable in variables:
        assert (variable.numpy() == 0).all(), variable


def test_a_copy_keeps_the_constraint():
    w = ps.Variable([1.0])
    w.constraint = constraints.NonNeg()
    assert copy.deepcopy(w).constraint is w.constraint


@pytest.mark.parametrize(
    "one",
    [
        constraints.MaxNorm(1.0),
        constraints.UnitNorm((0, 1)),
        constraints.MinMaxNorm(0.5, 1.0, 0.25, 1),
        constraints.NonNeg(),
    ],
)
def test_constraints_are_the_same_in_both_tiers(one):
    check_tiers(lambda w: one(w), lambda rng: [rng.standard_normal((3, 4))])
    with use_engine("numpy"):
        assert type(one).from_config(one.get_config()).get_config() == one.get_config()


@pytest.mark.parametrize("make", [
    lambda: constraints.get("no_such"), lambda: constraints.get(3), lambda: constraints.MaxNorm(-1.0),
    lambda: ps.layers.Dense(1, kernel_constraint="no_such"),
])  # fmt: skip
def test_refusals(make):
    with pytest.raises(ArgumentError):
        make()


def test_a_constraint_of_a_graph_is_refused():
    import penstock.tensorflow.compat.v1 as tf

    with tf.Graph().as_default(), pytest.raises(ValueError, match="constraint"):
        tf.get_variable("w", [2], constraint=clamped)
