"""Elementwise primitives: arithmetic, comparison, powers, exponentials, rounding, choosing and clipping."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.ops.table import (
    Kink,
    Primitive,
    boolean,
    broadcast_shapes,
    broadcasting,
    cast,
    same,
)
from penstock.trace.spec import Spec, spec
from penstock.trace.tensor import Tensor

Samples = Callable[[np.random.Generator], list[tuple[Any, ...]]]


# -- samples ----------------------------------------------------------------------------------------------


def _rounded(values: Any) -> Any:
    return np.round(values, 2)


def between(*ranges: tuple[float, float]) -> Samples:
    """Draws operands from these ranges: equal shapes, broadcast pairs, no dimensions and an empty axis."""
    arrangements = [((2, 3),) * len(ranges), ((),) * len(ranges), ((0, 2),) * len(ranges)]
    if len(ranges) > 1:
        arrangements += [((2, 3), (3,)), ((2, 1), (1, 3)), ((), (4,))] if len(ranges) == 2 else []

    def draw(rng: np.random.Generator) -> list[tuple[Any, ...]]:
        return [
            tuple(_rounded(rng.uniform(low, high, shape)) for (low, high), shape in zip(ranges, shapes, strict=True))
            for shapes in arrangements
        ]

    return draw


def apart(*ranges: tuple[float, float]) -> Samples:
    """Draws pairs as `between` does, never within 0.1 of each other."""
    plain = between(*ranges)

    def draw(rng: np.random.Generator) -> list[tuple[Any, ...]]:
        return [(a, np.where(abs(a - b) < 0.1, b + 0.25, b)) for a, b in plain(rng)]

    return draw


def off(points: tuple[float, ...], low: float, high: float) -> Samples:
    """Draws single operands from a range, never within 0.1 of the given points."""
    plain = between((low, high))

    def draw(rng: np.random.Generator) -> list[tuple[Any, ...]]:
        samples = []
        for (x,) in plain(rng):
            for point in points:
                x = np.where(abs(x - point) < 0.1, x + 0.25, x)
            samples.append((x,))
        return samples

    return draw


# -- arithmetic -------------------------------------------------------------------------------------------

add = Primitive(
    "add",
    shape=broadcasting("add"),
    numpy=np.add,
    xla="numpy.add",
    vjp=(lambda ct, y, a, b: ct, lambda ct, y, a, b: ct),
    samples=between((-2, 2), (-2, 2)),
)
subtract = Primitive(
    "subtract",
    shape=broadcasting("subtract"),
    numpy=np.subtract,
    xla="numpy.subtract",
    vjp=(lambda ct, y, a, b: ct, lambda ct, y, a, b: -ct),
    dtypes="number",
    samples=between((-2, 2), (-2, 2)),
)
multiply = Primitive(
    "multiply",
    shape=broadcasting("multiply"),
    numpy=np.multiply,
    xla="numpy.multiply",
    vjp=(lambda ct, y, a, b: ct * b, lambda ct, y, a, b: ct * a),
    samples=between((-2, 2), (-2, 2)),
)
divide = Primitive(
    "divide",
    shape=broadcasting("divide"),
    numpy=np.divide,
    xla="numpy.divide",
    vjp=(lambda ct, y, a, b: ct / b, lambda ct, y, a, b: -ct * y / b),
    dtypes="float",
    samples=between((-2, 2), (0.5, 2)),
)


def _zero_as_one(x: Tensor) -> Tensor:
    return where(equal(x, 0.0), 1.0, x)


def _power_vjp_base(ct: Tensor, y: Tensor, a: Tensor, b: Tensor) -> Tensor:
    # b == 0 is handled apart: 0 * 0 ** -1 would be NaN where the slope is 0.
    return ct * where(equal(b, 0.0), 0.0, b * power(a, where(equal(b, 0.0), 1.0, b - 1.0)))


def _power_vjp_exponent(ct: Tensor, y: Tensor, a: Tensor, b: Tensor) -> Tensor:
    # For a base that is not positive the logarithm is left out, as every peer does.
    return ct * where(greater(a, 0.0), y * log(where(greater(a, 0.0), a, 1.0)), 0.0)


power = Primitive(
    "power",
    shape=broadcasting("power"),
    numpy=np.power,
    xla="numpy.power",
    vjp=(_power_vjp_base, _power_vjp_exponent),
    dtypes="number",
    samples=between((0.5, 2), (-2, 2)),
    kinks=(
        Kink(at=(0.0, 0.0), gradients=(0.0, 0.0), because="0 ** 0 is 1 and stays 1 for every other base"),
        Kink(at=(-1.0, 2.0), gradients=(-2.0, 0.0), because="the exponent of a base below zero has no derivative"),
    ),
)


def _integer_power_vjp(ct: Tensor, y: Tensor, x: Tensor, exponent: int) -> Tensor:
    if exponent == 2:
        return ct * (x * 2.0)
    return ct * (integer_power(x, exponent=exponent - 1) * float(exponent))


integer_power = Primitive(
    "integer_power",
    shape=same,
    numpy=lambda x, exponent: x * x if exponent == 2 else np.power(x, np.asarray(exponent, x.dtype)),
    xla=lambda jax, x, exponent: jax.lax.integer_pow(x, exponent),
    vjp=(_integer_power_vjp,),
    dtypes="number",
    samples=lambda rng: [(_rounded(rng.uniform(0.5, 2, (2, 3))), {"exponent": e}) for e in (2, 3, -1, 1)],
)


def _floor_divide_numpy(a: Any, b: Any) -> Any:
    return np.floor_divide(a, b)


floor_divide = Primitive(
    "floor_divide",
    shape=broadcasting("floor_divide"),
    numpy=_floor_divide_numpy,
    xla="numpy.floor_divide",
    derivative="flat",
    dtypes="number",
    samples=between((-2, 2), (0.5, 2)),
)
remainder = Primitive(
    "remainder",
    shape=broadcasting("remainder"),
    numpy=np.remainder,
    xla="numpy.remainder",
    vjp=(lambda ct, y, a, b: ct, lambda ct, y, a, b: -ct * floor_divide(a, b)),
    dtypes="number",
    samples=lambda rng: [(np.asarray([2.3, -1.2, 0.7]), np.asarray([0.9, 0.8, -0.4]))],
)


def _share(a: Tensor, b: Tensor) -> Tensor:
    return where(equal(a, b), 0.5, where(greater(a, b), 1.0, 0.0))


maximum = Primitive(
    "maximum",
    shape=broadcasting("maximum"),
    numpy=np.maximum,
    xla="numpy.maximum",
    vjp=(lambda ct, y, a, b: ct * _share(a, b), lambda ct, y, a, b: ct * _share(b, a)),
    dtypes="number",
    samples=apart((-2, 2), (-2, 2)),
    kinks=(Kink(at=(0.0, 0.0), gradients=(0.5, 0.5), because="ties share, so that swapping changes nothing"),),
)
minimum = Primitive(
    "minimum",
    shape=broadcasting("minimum"),
    numpy=np.minimum,
    xla="numpy.minimum",
    vjp=(lambda ct, y, a, b: ct * _share(b, a), lambda ct, y, a, b: ct * _share(a, b)),
    dtypes="number",
    samples=apart((-2, 2), (-2, 2)),
    kinks=(Kink(at=(0.0, 0.0), gradients=(0.5, 0.5), because="ties share, so that swapping changes nothing"),),
)
atan2 = Primitive(
    "atan2",
    shape=broadcasting("atan2"),
    numpy=np.arctan2,
    xla="numpy.arctan2",
    vjp=(
        lambda ct, y, a, b: ct * b / (a * a + b * b),
        lambda ct, y, a, b: -ct * a / (a * a + b * b),
    ),
    dtypes="float",
    samples=between((0.5, 2), (0.5, 2)),
)

# -- comparison and logic ---------------------------------------------------------------------------------


def _comparison(name: str, numpy: Any, dtypes: str = "common") -> Primitive:
    return Primitive(
        name,
        shape=boolean(name),
        numpy=numpy,
        xla=f"numpy.{name}",
        derivative="discrete",
        dtypes=dtypes,
        samples=between((-2, 2), (-2, 2)),
    )


equal = _comparison("equal", np.equal)
not_equal = _comparison("not_equal", np.not_equal)
less = _comparison("less", np.less)
less_equal = _comparison("less_equal", np.less_equal)
greater = _comparison("greater", np.greater)
greater_equal = _comparison("greater_equal", np.greater_equal)
logical_and = _comparison("logical_and", np.logical_and)
logical_or = _comparison("logical_or", np.logical_or)
logical_xor = _comparison("logical_xor", np.logical_xor)


def _test(name: str, numpy: Any) -> Primitive:
    return Primitive(
        name,
        shape=boolean(name),
        numpy=numpy,
        xla=f"numpy.{name}",
        derivative="discrete",
        samples=between((-2, 2)),
    )


logical_not = _test("logical_not", np.logical_not)
isnan = _test("isnan", np.isnan)
isfinite = _test("isfinite", np.isfinite)

# -- functions of one operand -----------------------------------------------------------------------------


def _unary(name: str, numpy: Any, xla: Any, vjp: Any, samples: Samples, **more: Any) -> Primitive:
    more.setdefault("dtypes", "float")
    return Primitive(name, shape=same, numpy=numpy, xla=xla, vjp=(vjp,), samples=samples, **more)


negative = _unary(
    "negative", np.negative, "lax.neg", lambda ct, y, x: negative(ct), between((-2, 2)), dtypes="number"
)
absolute = _unary(
    "abs",
    np.abs,
    "lax.abs",
    lambda ct, y, x: ct * sign(x),
    off((0.0,), -2, 2),
    dtypes="number",
    kinks=(Kink(at=(0.0,), gradients=(0.0,), because="the middle of the slopes -1 and 1, as sign(0) is 0"),),
)
square = _unary("square", np.square, "lax.square", lambda ct, y, x: ct * (x * 2.0), between((-2, 2)), dtypes="number")
exp = _unary("exp", np.exp, "lax.exp", lambda ct, y, x: ct * y, between((-2, 2)))
expm1 = _unary("expm1", np.expm1, "lax.expm1", lambda ct, y, x: ct * (y + 1.0), between((-2, 2)))
log = _unary("log", np.log, "lax.log", lambda ct, y, x: ct / x, between((0.5, 3)))
log1p = _unary("log1p", np.log1p, "lax.log1p", lambda ct, y, x: ct / (x + 1.0), between((-0.5, 3)))
sqrt = _unary(
    "sqrt",
    np.sqrt,
    "lax.sqrt",
    lambda ct, y, x: ct * 0.5 / y,
    between((0.5, 3)),
    kinks=(Kink(at=(0.0,), gradients=(np.inf,), because="the slope grows without bound towards 0"),),
)
rsqrt = _unary(
    "rsqrt", lambda x: 1 / np.sqrt(x), "lax.rsqrt", lambda ct, y, x: ct * -0.5 * y / x, between((0.5, 3))
)
sin = _unary("sin", np.sin, "lax.sin", lambda ct, y, x: ct * cos(x), between((-3, 3)))
cos = _unary("cos", np.cos, "lax.cos", lambda ct, y, x: -ct * sin(x), between((-3, 3)))
tan = _unary("tan", np.tan, "lax.tan", lambda ct, y, x: ct * (y * y + 1.0), between((-1, 1)))
tanh = _unary("tanh", np.tanh, "lax.tanh", lambda ct, y, x: ct * (1.0 - y * y), between((-2, 2)))


def _sigmoid(x: Any) -> Any:
    # Both branches stay finite: exp is only taken of what is not positive.
    small = np.exp(-np.abs(x))
    return (np.where(x >= 0, 1, small) / (1 + small)).astype(x.dtype)


sigmoid = _unary("sigmoid", _sigmoid, "nn.sigmoid", lambda ct, y, x: ct * (y * (1.0 - y)), between((-3, 3)))
softplus = _unary(
    "softplus",
    lambda x: np.logaddexp(x, np.zeros((), x.dtype)),
    "nn.softplus",
    lambda ct, y, x: ct * sigmoid(x),
    between((-3, 3)),
)
# Not maximum(x, 0): ties share there, so relu would pass half the gradient at 0.
relu = _unary(
    "relu",
    lambda x: np.maximum(x, np.zeros((), x.dtype)),
    lambda jax, x: jax.lax.max(x, jax.lax.full_like(x, 0)),
    lambda ct, y, x: where(greater(x, 0.0), ct, 0.0),
    off((0.0,), -2, 2),
    dtypes="number",
    kinks=(Kink(at=(0.0,), gradients=(0.0,), because="at 0 the unit is off, as in every peer"),),
)

# -- step functions ---------------------------------------------------------------------------------------


def _step(name: str, numpy: Any, xla: Any) -> Primitive:
    return Primitive(
        name, shape=same, numpy=numpy, xla=xla, derivative="flat", dtypes="number", samples=off((0.0,), -2.4, 2.4)
    )


floor = _step("floor", np.floor, "numpy.floor")
ceil = _step("ceil", np.ceil, "numpy.ceil")
round = _step("round", np.round, "numpy.round")
trunc = _step("trunc", np.trunc, "numpy.trunc")
# Flat as the others, but TensorFlow, PyTorch and JAX all let a gradient of zeros through sign.
sign = Primitive(
    "sign",
    shape=same,
    numpy=np.sign,
    xla="lax.sign",
    vjp=(lambda ct, y, x: multiply(ct, 0.0),),
    dtypes="number",
    samples=off((0.0,), -2, 2),
    kinks=(Kink(at=(0.0,), gradients=(0.0,), because="the slope is 0 on both sides"),),
)

# -- choosing, clipping, stopping -------------------------------------------------------------------------


def _where_shape(condition: Spec, a: Spec, b: Spec) -> Spec:
    return spec(broadcast_shapes("where", condition.shape, a.shape, b.shape), a.dtype)


def _where_samples(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    shapes = [((2, 3), (2, 3), (2, 3)), ((3,), (2, 3), ()), ((), (), ()), ((0, 2), (0, 2), (2,))]
    return [
        (rng.standard_normal(c) > 0, _rounded(rng.uniform(-2, 2, a)), _rounded(rng.uniform(-2, 2, b)))
        for c, a, b in shapes
    ]


where = Primitive(
    "where",
    shape=_where_shape,
    numpy=np.where,
    xla="numpy.where",
    vjp=(
        None,
        lambda ct, y, condition, a, b: where(condition, ct, 0.0),
        lambda ct, y, condition, a, b: where(condition, 0.0, ct),
    ),
    common=(1, 2),
    samples=_where_samples,
)


def _inside(x: Tensor, low: Tensor, high: Tensor) -> Tensor:
    return logical_and(greater_equal(x, low), less_equal(x, high))


def _clip_samples(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    x = np.asarray([-1.5, -0.4, 0.3, 0.9, 1.7])
    return [(x, np.asarray(-1.0), np.asarray(1.0)), (x, np.full(5, -0.6), np.linspace(0.5, 1.1, 5))]


clip = Primitive(
    "clip",
    shape=broadcasting("clip"),
    numpy=lambda x, low, high: np.minimum(np.maximum(x, low), high),
    xla=lambda jax, x, low, high: jax.numpy.minimum(jax.numpy.maximum(x, low), high),
    vjp=(
        lambda ct, y, x, low, high: where(_inside(x, low, high), ct, 0.0),
        lambda ct, y, x, low, high: where(less(x, low), ct, 0.0),
        lambda ct, y, x, low, high: where(greater(x, high), ct, 0.0),
    ),
    dtypes="number",
    samples=_clip_samples,
    kinks=(Kink(at=(1.0, -1.0, 1.0), gradients=(1.0, 0.0, 0.0), because="a value on the border is not clipped"),),
)
stop_gradient = Primitive(
    "stop_gradient",
    shape=same,
    numpy=lambda x: x,
    xla=lambda jax, x: x,
    derivative="wall",
    samples=between((-2, 2)),
)
identity = Primitive(
    "identity",
    shape=same,
    numpy=lambda x: x,
    xla=lambda jax, x: x,
    vjp=(lambda ct, y, x: ct,),
    samples=between((-2, 2)),
)

__all__ = ["cast"]
