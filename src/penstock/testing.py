"""Helpers for tests: tiers, gradients against differences, scopes left open."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from penstock.errors import PenstockError
from penstock.functions.array import asarray, sum
from penstock.grad.rows import Rows
from penstock.grad.tape import GradientTape
from penstock.lazy import listed
from penstock.tiers import xla
from penstock.tiers.choice import ENGINES, settings
from penstock.trace.builder import Builder
from penstock.trace.engine import engine
from penstock.trace.local import local
from penstock.trace.structure import flat
from penstock.trace.tensor import Cell, Tensor

ROUNDINGS = 64
"""The number of roundings of their dtype by which two tiers may differ: they add up sums in different
orders."""
ROUNDINGS_OF_HALVES = 8
"""The same for dtypes of two bytes: 64 of bfloat16's would be half of a number."""
LONGER = 100
"""How many times the step is longer where rounding may have decided, which differences divide by it."""


@contextmanager
def use_engine(tier: str) -> Iterator[None]:
    """Runs programs inside the block on one tier: "numpy", "xla", or "auto" for the usual choice.

    Raises PenstockError, with what to type, for "xla" if JAX is not installed or does not work.

    Args:
        tier: "numpy", "xla" or "auto".

    Returns:
        A context manager.

    Raises:
        PenstockError: if the tier is not available.

    >>> import penstock as ps
    >>> from penstock.testing import use_engine
    >>> with use_engine("numpy"):
    ...     print(ps.exp(0.0))
    Tensor(1., dtype=float32)
    """
    if tier not in ENGINES:
        raise PenstockError(f"use_engine was given {tier!r}.", remedy=f"Use one of {', '.join(ENGINES)}.")
    if tier == "xla":
        xla.jax()
    before = settings.engine
    settings.engine = tier
    try:
        yield
    finally:
        settings.engine = before


def assert_idle() -> None:
    """Raises AssertionError if a scope is still open in this thread; closes it, so only one test fails.

    Pending writes and values are not an error: they are computed.

    Returns:
        None.

    Raises:
        AssertionError: if a scope is open.

    >>> from penstock.testing import assert_idle
    >>> assert_idle()
    """
    found = []
    while isinstance(local.trace, Builder):
        found.append(f"an event that was being expanded ({local.trace.site})")
        local.trace = local.trace.outer
    while engine.lock._is_owned():  # type: ignore[attr-defined]
        found.append("the lock of the engine")
        engine.lock.release()
    trace = local.trace
    for tape in trace.tapes:
        if tape._open:
            found.append(f"a tape, opened at {tape._opened_at()}")
            tape._open = False
    if trace.taping and not found:
        found.append(f"the count of open tapes is {trace.taping}")
    trace.taping = 0
    if trace.capturing is not None:
        found.append(f"the capture of {trace.capturing!r}")
        trace.capturing = None
    if trace.guards:
        found.append(f"contracts: {', '.join(map(repr, trace.guards))}")
        trace.guards.clear()
    for name, observers in engine.observers.items():
        if observers:
            found.append(f"observers of {name}: {observers}")
            observers.clear()
    try:
        trace.run(True)
    except PenstockError as error:
        found.append(f"a step that cannot be run: {error.fact}")
    assert not found, "left open: " + "; ".join(found)


# -- gradients ----------------------------------------------------------------------------------------------


def check_grads(f: Callable[..., Any], *args: Any, order: int = 1, seed: int = 0, step: float = 1e-6) -> None:
    """Raises AssertionError if gradients of `f` differ from central differences.

    `args` are arrays or numbers; those that are floating-point are made float64 and differentiated, in every
    non-empty subset. Along one random direction, against one random cotangent, two numbers are compared:
    <cotangent, (f(x + step d) - f(x - step d)) / (2 step)> and <gradient, d>. Where they differ,
    differences of fourth order at steps a hundred times as long decide (Fornberg, 1988): rounding is divided
    by the step. With `order=2`, gradients of the gradients are checked too. `f` returns a tensor or several;
    keep away from kinks and from stop_gradient, which differences do not see.

    Args:
        f: a function of tensors, or of structures of them.
        args: the point to check: arrays or numbers.
        order: the highest derivative to check, an int from 1.
        seed: the seed of the directions, an int.
        step: the step of the differences, a number.

    Returns:
        None.

    Raises:
        AssertionError: if they differ.

    >>> import penstock as ps
    >>> from penstock.testing import check_grads
    >>> check_grads(ps.multiply, [1.5, 2.0], 3.0, order=2)
    """
    rng = np.random.default_rng(seed)
    values = [_widened(arg) for arg in args]
    movable = [i for i, value in enumerate(values) if value.dtype == np.float64]
    for count in range(1, len(movable) + 1):
        for active in itertools.combinations(movable, count):
            _check_subset(f, values, active, order, rng, step, name_of(f))


def name_of(f: Any) -> str:
    """Returns the name of a function in messages."""
    return str(getattr(f, "name", None) or getattr(f, "__name__", None) or repr(f))


def _widened(arg: Any) -> Any:
    value = np.asarray(arg.numpy() if isinstance(arg, Tensor | Cell) else arg)
    return value.astype(np.float64) if value.dtype.kind in "fV" else value


def _check_subset(
    f: Callable[..., Any],
    values: Sequence[Any],
    active: tuple[int, ...],
    order: int,
    rng: np.random.Generator,
    step: float,
    name: str,
) -> None:
    direction = [rng.standard_normal(v.shape) if i in active else None for i, v in enumerate(values)]

    def at(s: float) -> list[Any]:
        return outputs(
            f(*(asarray(v if d is None else v + s * d) for v, d in zip(values, direction, strict=True)))
        )

    def central(ahead: Sequence[Any], behind: Sequence[Any], step: float) -> float:
        terms = zip(cotangents, ahead, behind, strict=True)
        return float(np.sum([np.vdot(ct, (a - b) / (2 * step)) for ct, a, b in terms]))

    ahead, behind = at(step), at(-step)
    cotangents = [rng.standard_normal(one.shape) for one in ahead]
    want = central(ahead, behind, step)
    weights = [direction[i] for i in active]

    def slope(*tensors: Any) -> Any:
        """The slope of f along `direction`, by the tape: a scalar, or None if no gradient passes."""
        found = gradients(f, tensors, active, cotangents)
        terms = [sum(g * asarray(w)) for g, w in zip(found, weights, strict=True) if g is not None]
        return asarray(np.float64(0)) if not terms else terms[0] if len(terms) == 1 else _total(terms)

    got = float(slope(*(asarray(value) for value in values)))
    if not _close(got, want):
        # It may be rounding, divided by the step: differences of fourth order hold for longer steps, too.
        near, far = (central(at(s), at(-s), s) for s in (LONGER * step, 2 * LONGER * step))
        want = (4 * near - far) / 3
    if not _close(got, want):
        shapes = ", ".join(str(value.shape) for value in values)
        raise AssertionError(
            f"{name}, gradient by operands {active} of shapes {shapes}: the tape gives {got}, "
            f"central differences {want}."
        )
    if order > 1:
        _check_subset(slope, values, active, order - 1, rng, step, f"the gradient of {name}")


def _close(got: float, want: float) -> bool:
    return bool(np.isclose(got, want, rtol=1e-6, atol=1e-8))


def _total(terms: Sequence[Any]) -> Any:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def gradients(
    f: Callable[..., Any], tensors: Sequence[Any], active: Sequence[int], cotangents: Sequence[Any]
) -> list[Any]:
    """Returns the gradients of f's floating-point results by the active arguments; None if none passes."""
    sources = [tensors[i] for i in active]
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(*sources)
        results = floating(f(*tensors))
    seeds = [asarray(ct) for ct in cotangents]
    found = tape.gradient(results, sources, output_gradients=seeds)
    return [g.dense() if isinstance(g, Rows) else g for g in found]


def floating(result: Any) -> list[Any]:
    """Returns the floating-point tensors among one result or several."""
    several = list(result) if isinstance(result, list | tuple) else [result]
    return [one for one in several if one.dtype.kind in "fV"]


def outputs(result: Any) -> list[Any]:
    """Returns the values of the floating-point tensors among one result or several, as NumPy arrays."""
    return [np.asarray(one.numpy()) for one in floating(result)]


# -- tiers --------------------------------------------------------------------------------------------------


def check_tiers(f: Callable[..., Any], make_args: Callable[[np.random.Generator], Sequence[Any]]) -> None:
    """Raises AssertionError if `f` differs between the tiers, or is compiled again for new values.

    `make_args(rng)` draws arguments; arrays become tensors, Python numbers stay numbers. `f` runs three times
    on each tier, with different values each time, so that a constant baked in by mistake shows: the last time
    nothing may be compiled. It returns tensors, in nested lists, tuples and dictionaries if you like.

    Args:
        f: a function of tensors, or of structures of them.
        make_args: a function of a NumPy generator that returns the arguments.

    Returns:
        None.

    Raises:
        AssertionError: if they differ.

    >>> import penstock as ps
    >>> from penstock.testing import check_tiers
    >>> check_tiers(lambda x, rate: ps.exp(x) * rate, lambda rng: (rng.random(3), rng.random()))
    """
    for seed in range(3):
        wanted, found = (
            _run_on(tier, f, make_args(np.random.default_rng(seed))) for tier in ("numpy", "xla")
        )
        (want, _), (got, compiled) = wanted, found
        assert len(got) == len(want), f"{name_of(f)}: {len(want)} results with NumPy, {len(got)} with XLA"
        for number, (a, b) in enumerate(zip(got, want, strict=True)):
            assert_close(a, b, f"{name_of(f)}, seed {seed}, result {number}: XLA against NumPy")
        assert seed < 2 or not compiled, (
            f"{name_of(f)} was compiled again for fresh values: {xla.explain_compilation(compiled[-1][0])}"
        )


def _run_on(tier: str, f: Callable[..., Any], args: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    before = len(xla.compilations)
    with use_engine(tier):
        tensors = [asarray(arg) if isinstance(arg, np.ndarray | np.generic | list) else arg for arg in args]
        return [np.asarray(one) for one in flat(f(*tensors))], xla.compilations[before:]


def assert_close(got: Any, want: Any, what: str, *, scaled: bool = True) -> None:
    """Raises AssertionError unless shapes and dtypes are equal and values are a few roundings apart.

    A rounding is that of the dtype, at the largest finite value of `want`, or, if not `scaled`, at each
    value. NaN and infinities must be in the same places.

    Args:
        got: the computed value.
        want: the correct value.
        what: its name in the message.
        scaled: whether a rounding is that of the largest number.

    Returns:
        None.

    Raises:
        AssertionError: if they differ.

    >>> import numpy as np
    >>> from penstock.testing import assert_close
    >>> assert_close(np.float32([1, 2]), np.float32([1, 2 + 1e-7]), "rounded")
    """
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, f"{what}: shape {got.shape}, wanted {want.shape}"
    assert got.dtype == want.dtype, f"{what}: dtype {got.dtype}, wanted {want.dtype}"
    if want.dtype.kind in "biu":
        assert np.array_equal(got, want), f"{what}: {got}, wanted {want}"
        return
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    count = ROUNDINGS_OF_HALVES if want.dtype.itemsize == 2 else ROUNDINGS
    apart = count * float(_spacing(want.dtype))
    got, want = got.astype(wide), want.astype(wide)
    finite = np.abs(want[np.isfinite(want)])
    scale = float(finite.max()) if finite.size else 0.0
    tolerance = {"rtol": 0.0, "atol": apart * scale} if scaled else {"rtol": apart, "atol": 0.0}
    with np.errstate(invalid="ignore"):
        close = np.isclose(got, want, equal_nan=True, **tolerance)
    assert close.all(), f"{what}:\n{got}, wanted\n{want}"


def _spacing(dtype: np.dtype[Any]) -> float:
    """Returns the distance from 1 to the next number of a dtype, also of dtypes that NumPy does not know."""
    one = np.ones((), dtype)
    step = 1.0
    while np.asarray(one + np.asarray(step / 2, dtype), dtype) != one:
        step /= 2
    return step


__all__ = ["assert_close", "assert_idle", "check_grads", "check_tiers", "use_engine"]
__dir__ = listed(__name__)
