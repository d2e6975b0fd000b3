"""The checkers themselves: rules, values and scopes planted wrong are found, and named."""

import re

import numpy as np
import pytest

import penstock as ps
from penstock import testing
from penstock.errors import PenstockError
from penstock.grad.tape import GradientTape
from penstock.ops.pointwise import between, cos, multiply, sin, stop_gradient
from penstock.ops.shape import concat, transpose
from penstock.ops.table import Primitive, broadcasting, cast, same, table
from penstock.testing import assert_close, assert_idle, check_grads, check_tiers, use_engine
from penstock.tiers import choice
from penstock.trace.engine import engine
from penstock.trace.local import local


@pytest.fixture
def plant():
    """Makes primitives that leave the table again."""
    names = []

    def make(vjp, numpy=lambda x: x * x, **more):
        name = f"planted_{len(names)}"
        names.append(name)
        more.setdefault("shape", same)
        more.setdefault("xla", lambda jax, x: x * x)
        return Primitive(name, numpy=numpy, vjp=vjp, samples=between((1, 2)), **more)

    yield make
    for name in names:
        del table[name]


def test_a_right_rule_passes(plant):
    check_grads(plant((lambda ct, y, x: ct * x * 2.0,)), [1.5, -2.0], order=2)


def test_rounding_that_the_step_magnifies_is_no_difference():
    """The slope is 0; a step of 1e-6 makes 5e-8 of the rounding of a value of 500."""
    check_grads(lambda x: 500 * (sin(x) * sin(x) + cos(x) * cos(x)), [0.1, 1.3, 2.2])
    with pytest.raises(AssertionError, match="differences"):
        check_grads(lambda x: 500 * (sin(x) * sin(x) + cos(x) * cos(x)) + 1e-5 * stop_gradient(x), [0.1, 1.3])


def test_a_factor_slightly_wrong_is_found(plant):
    square = plant((lambda ct, y, x: ct * x * 2.001,))
    with pytest.raises(AssertionError, match=r"planted_0, gradient by operands \(0,\) of shapes \(2,\)"):
        check_grads(square, [1.5, -2.0])


def test_a_gradient_that_is_wrong_for_two_operands_together_is_found(monkeypatch):
    right = testing.gradients

    def wrong(f, tensors, active, cotangents):
        found = right(f, tensors, active, cotangents)
        return [one * 2.0 for one in found] if len(active) > 1 else found

    monkeypatch.setattr(testing, "gradients", wrong)
    with pytest.raises(AssertionError, match=r"multiply, gradient by operands \(0, 1\)"):
        check_grads(multiply, 1.5, 2.0)


def test_a_missing_rule_is_found(plant):
    blind = plant(
        (lambda ct, y, a, b: ct * b, None),
        numpy=np.multiply,
        xla="numpy.multiply",
        shape=broadcasting("planted"),
    )
    with pytest.raises(AssertionError, match=r"operands \(1,\) of shapes \(\), \(2,\): the tape gives 0"):
        check_grads(blind, 1.5, [2.0, 3.0])


def test_a_wrong_second_derivative_is_found(plant):
    stiff = plant((lambda ct, y, x: ct * stop_gradient(cos(x)),), numpy=np.sin, xla="numpy.sin")
    check_grads(stiff, 0.5)
    with pytest.raises(AssertionError, match="the gradient of planted_0"):
        check_grads(stiff, 0.5, order=2)
    check_grads(sin, 0.5, order=3)


def test_a_gradient_where_differences_see_none_is_found(plant):
    steep = plant((lambda ct, y, x: ct,), numpy=np.round)
    with pytest.raises(AssertionError, match="central differences 0"):
        check_grads(steep, [1.2, 0.7])


def narrowed(ct, y, x):
    return cast(ct, dtype=np.dtype(np.float32))


def turned(ct, y, x):
    return transpose(ct, axes=(1, 0))


def lengthened(ct, y, x):
    return concat(ct, ct, axis=0)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (narrowed, "narrowed gave float32[2, 3]"),
        (turned, "turned gave float64[3, 2]"),
        (lengthened, "lengthened gave float64[4, 3]"),
    ],
)
def test_a_rule_that_does_not_fit_is_named(rule, words, plant):
    with pytest.raises(PenstockError, match=re.escape(words)) as caught:
        check_grads(plant((rule,)), np.ones((2, 3)))
    assert "float64[2, 3]" in str(caught.value)


def test_integers_are_passed_as_they_are():
    check_grads(lambda x, i: ps.take(x, i), [1.0, 2.0, 3.0], [2, 2])


def test_a_constant_baked_in_is_found():
    rates = iter(range(100))

    def forgetful(x):
        return x * float(next(rates))

    with pytest.raises(AssertionError, match=r"forgetful, seed \d, result 0: XLA against NumPy"):
        check_tiers(forgetful, lambda rng: (rng.random(3) + 1,))


def test_a_shape_that_changes_is_a_recompile():
    with pytest.raises(
        AssertionError, match=r"compiled again for fresh values: compiled again: argument 1 went"
    ):
        check_tiers(lambda x: ps.exp(x) + 3.25, lambda rng: (rng.random(int(rng.integers(1, 999))),))


def test_a_lowering_that_differs_is_found(plant):
    off = plant((None,), numpy=lambda x: x * x * 1.0001)
    with pytest.raises(AssertionError, match="XLA against NumPy"):
        check_tiers(off, lambda rng: (rng.random(3),))


def test_a_program_of_structures_is_checked():
    def step(x, rate):
        with ps.GradientTape() as tape:
            tape.watch(x)
            loss = ps.sum(ps.tanh(x) * rate)
        return {"loss": loss, "rest": [tape.gradient(loss, x), None, (x,)]}

    check_tiers(step, lambda rng: (rng.standard_normal((2, 3)), float(rng.random())))


@pytest.mark.parametrize(
    ("got", "words"),
    [
        (np.zeros((2,), np.float32), "shape (2,), wanted (3,)"),
        (np.zeros((3,), np.float64), "dtype float64, wanted float32"),
        (np.asarray([0, 1, np.nan], np.float32), "wanted"),
        (np.asarray([0, 1, 3.00004], np.float32), "wanted"),
    ],
)
def test_assert_close_names_the_difference(got, words):
    assert_close(np.asarray([0, 1, 3.000001], np.float32), np.asarray([0, 1, 3], np.float32), "near")
    with pytest.raises(AssertionError, match="(?s)thing: ?.*" + re.escape(words)):
        assert_close(got, np.asarray([0, 1, 3], np.float32), "thing")


def test_engine_is_restored_after_an_exception():
    before = choice.settings.engine
    with pytest.raises(ZeroDivisionError), use_engine("xla"):
        assert choice.settings.engine == "xla"
        raise ZeroDivisionError
    assert choice.settings.engine == before
    with pytest.raises(PenstockError, match="'cuda'"), use_engine("cuda"):
        pass
    assert choice.settings.engine == before


def test_an_open_tape_is_found_and_closed():
    tape = GradientTape()
    tape.__enter__()
    with pytest.raises(AssertionError, match=r"left open: a tape, opened at .*test_gradcheck.py:\d+"):
        assert_idle()
    assert_idle()
    assert not local.trace.taping


def test_an_observer_left_behind_is_found():
    engine.commits.add(lambda commit: None)
    with pytest.raises(AssertionError, match="observers"):
        assert_idle()
    assert_idle()


def test_pending_work_is_done_or_named():
    x = ps.Variable([1.0, 2.0])
    x.assign_add([1.0, 1.0])
    assert_idle()
    assert not local.trace.pending
    bad = ps.take(x, ps.asarray([5]))
    with pytest.raises(AssertionError, match="a step that cannot be run: take: index 5"):
        assert_idle()
    assert_idle()
    assert x.numpy().tolist() == [2.0, 3.0]
    del bad


def test_every_checker_is_public():
    assert set(testing.__all__) <= set(vars(testing))
