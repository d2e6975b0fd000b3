"""Edges of the array API standard, in both tiers: subnormal numbers, infinities, empty masks, far corners."""

import functools
import itertools
import math

import numpy as np
import pytest

import penstock as ps
from one_program import values_of
from penstock.testing import use_engine
from penstock.tiers import choice
from penstock.trace.tensor import Tensor

REALS = ["float16", "float32", "float64"]
SMALL = [5e-324, -5e-324, 1e-310, 1e-45, -1e-45, 1e-40, 6e-8]
TINY = [*SMALL, 0.0, -0.0, 1.0, -1.0, math.nan, math.inf, -math.inf]


def pairs(values):
    """Every pair of values, as two vectors."""
    one, other = np.meshgrid(values, values)
    return one.reshape(-1), other.reshape(-1)


def numbers(dtype, parts=TINY):
    """Numbers with all digits, with few digits, and zero, in a dtype."""
    with np.errstate(all="ignore"):
        values = np.asarray(parts, dtype)
    if values.dtype.kind != "c":
        return values
    return np.asarray([complex(a, b) for a in parts[:9] for b in parts[6:13]], dtype)


# -- subnormal numbers: XLA treats them as zeros in arithmetic, never in comparisons ----------------------


@pytest.mark.parametrize("dtype", [*REALS, "complex64", "complex128"])
def test_comparing_tells_the_smallest_numbers_apart(tier, dtype):
    values = numbers(dtype)
    one, other = pairs(values)
    a, b = ps.asarray(one), ps.asarray(other)
    names = ["equal", "not_equal", "logical_and", "logical_or", "logical_xor"]
    if values.dtype.kind == "f":
        names += ["less", "less_equal", "greater", "greater_equal"]
    x = ps.asarray(values)
    calls = {name: functools.partial(getattr(ps, name), a, b) for name in names}
    calls["zero"], calls["false"] = lambda: x == 0, lambda: ps.logical_not(x)
    calls["true"], calls["count"] = lambda: ps.astype(x, ps.bool), lambda: ps.count_nonzero(x)
    found = values_of(tier, calls)
    for name in names:
        np.testing.assert_array_equal(found[name], getattr(np, name)(one, other), name)
    assert found["zero"].tolist() == (values == 0).tolist()
    assert found["false"].tolist() == np.logical_not(values).tolist()
    assert found["true"].tolist() == values.astype(bool).tolist()
    assert int(found["count"]) == np.count_nonzero(values)
    for i, value in enumerate(values):
        assert bool(ps.all(x[i : i + 1])) == bool(ps.any(x[i : i + 1])) == bool(value)


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("descending", [False, True])
def test_order_tells_the_smallest_numbers_apart(tier, dtype, descending):
    values = np.random.default_rng(0).choice(numbers(dtype), (5, 12))
    x = ps.asarray(values)
    wanted = np.sort(values, axis=1, stable=True)
    wanted = np.flip(wanted, 1) if descending else wanted
    found = ps.sort(x, axis=1, descending=descending).numpy()
    np.testing.assert_array_equal(found, wanted)
    known = ~np.isnan(wanted)
    assert (np.signbit(found) == np.signbit(wanted))[known].all()
    order = ps.argsort(x, axis=1, descending=descending).numpy()
    np.testing.assert_array_equal(np.take_along_axis(values, order, 1), wanted)
    assert ps.argmax(x, axis=1).numpy().tolist() == np.argmax(values, 1).tolist()
    assert ps.argmin(x, axis=1).numpy().tolist() == np.argmin(values, 1).tolist()
    ascending = np.sort(values.reshape(-1))
    for side in ("left", "right"):
        found = ps.searchsorted(ps.asarray(ascending), x, side=side).numpy()
        assert found.tolist() == np.searchsorted(ascending, values, side=side).tolist()


@pytest.mark.parametrize("dtype", REALS)
def test_clip_keeps_the_smallest_numbers(tier, dtype):
    values = numbers(dtype)
    x = ps.asarray(values)
    for low, high in itertools.product(values, values):
        if low > high:
            continue
        found = ps.clip(x, ps.asarray(low), ps.asarray(high)).numpy()
        np.testing.assert_array_equal(found, np.clip(values, low, high))


def test_a_light_program_stays_with_numpy():
    with use_engine("auto"):
        x = ps.asarray([1.0, 2.0, 6.5])
        kinds = []
        for _ in range(choice.HOT_RUNS + 3):
            y = x[:2] + 0.625
            y.numpy()
            kinds.append(type(y._value))
    assert set(kinds) == {np.ndarray}
    with use_engine("xla"):
        y = x[:2] + 0.625
        y.numpy()
        assert type(y._value) is not np.ndarray


def test_a_light_program_stays_on_the_device_its_values_are_on():
    with use_engine("xla"):
        x = ps.asarray([1.0, 2.0, 6.25]) * 1.0
        x.numpy()
    with use_engine("auto"):
        for _ in range(choice.HOT_RUNS + 3):
            y = x + 0.375
            y.numpy()
    assert type(y._value) is not np.ndarray


# -- powers, quotients --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", REALS)
def test_a_root_as_a_power_has_the_values_of_powers(tier, dtype):
    base = np.asarray([0.0, -0.0, math.inf, -math.inf, 4.0, -4.0, math.nan], dtype)
    wanted = [0.0, 0.0, math.inf, math.inf, 2.0, math.nan, math.nan]
    for exponent in (ps.asarray(0.5, dtype=dtype), ps.full((7,), 0.5, dtype=dtype)):
        found = ps.pow(ps.asarray(base), exponent).numpy()
        np.testing.assert_array_equal(found, np.asarray(wanted, dtype))
        assert not np.signbit(found[:2]).any()
    assert float(ps.asarray(-0.0) ** 0.5) == 0.0
    mixed = ps.pow(ps.asarray([[-0.0], [4.0]]), ps.asarray([0.5, 3.0])).numpy()
    assert np.signbit(mixed).tolist() == [[False, True], [False, False]]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_division_is_numpys_everywhere(tier, dtype):
    parts = [0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan]
    one, other = pairs(np.asarray([complex(a, b) for a in parts for b in parts], dtype))
    with np.errstate(all="ignore"):
        wanted = one / other
        inverse = (1 / other.astype(dtype)).astype(dtype)
    tolerance = {"rtol": 1e-6}
    found = ps.divide(ps.asarray(one), ps.asarray(other)).numpy()
    for part in ("real", "imag"):
        ours, theirs = getattr(found, part), getattr(wanted, part)
        np.testing.assert_allclose(ours, theirs, **tolerance)
        known = ~np.isnan(theirs)
        assert (np.signbit(ours) == np.signbit(theirs))[known].all()
    found = ps.reciprocal(ps.asarray(other)).numpy()
    np.testing.assert_allclose(found.real, inverse.real, **tolerance)
    np.testing.assert_allclose(found.imag, inverse.imag, **tolerance)


def test_complex_division_does_not_overflow_on_the_way(tier):
    x, y = ps.asarray(3e300 + 4e300j, dtype=ps.complex128), ps.asarray(1e300 + 1e300j, dtype=ps.complex128)
    np.testing.assert_allclose(complex(x / y), 3.5 + 0.5j, rtol=1e-12)


# -- shapes and numbers at the limit ------------------------------------------------------------------------


def test_a_mask_may_be_empty_where_the_value_is_not(tier):
    x = ps.asarray(np.arange(12.0).reshape(3, 4))
    for shape, wanted in (((0,), (0, 4)), ((0, 4), (0,)), ((3, 0), (0,)), ((0, 0), (0,))):
        assert x[ps.zeros(shape, dtype=ps.bool)].shape == wanted
    assert x[..., ps.zeros((0,), dtype=ps.bool)].shape == (3, 0)
    with pytest.raises(IndexError, match=r"A mask has shape \(2,\)"):
        x[ps.zeros((2,), dtype=ps.bool)]


@pytest.mark.parametrize("far", [10**30, -(10**30)])
def test_a_diagonal_may_lie_anywhere(far):
    x = ps.ones((2, 3))
    assert not ps.eye(2, 3, k=far).numpy().any()
    assert ps.linalg.diagonal(x, offset=far).shape == (0,)
    assert float(ps.linalg.trace(x, offset=far)) == 0
    assert ps.tril(x, k=far).numpy().all() == (far > 0)


def test_repeat_takes_counts_of_every_integer_dtype():
    for name in ("int8", "uint8", "int32", "uint32", "int64", "uint64"):
        counts = ps.asarray([2, 0, 1], dtype=getattr(ps, name))
        assert ps.repeat(ps.asarray([7, 8, 9]), counts).numpy().tolist() == [7, 7, 9]
        assert isinstance(ps.repeat(ps.asarray([7]), ps.asarray([2], dtype=getattr(ps, name))), Tensor)
