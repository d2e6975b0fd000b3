"""Elementwise primitives: arithmetic, comparison, powers, exponentials, rounding, choosing and clipping."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.ops import comparison_xla, complex_edges
from penstock.ops.complex_edges import at_edges
from penstock.ops.complex_parts import conj, real, real_dtype
from penstock.ops.table import (
    Kink,
    Primitive,
    Samples,
    boolean,
    broadcast_shapes,
    broadcasting,
    cast,
    same,
    widened,
)
from penstock.trace.spec import Spec, spec
from penstock.trace.tensor import Tensor

# -- samples ----------------------------------------------------------------------------------------------


def _rounded(values: Any) -> Any:
    return np.round(values, 2)


def between(*ranges: tuple[float, float]) -> Samples:
    """Draws operands from these ranges: equal shapes, broadcast pairs, scalars and an empty axis."""
    arrangements = [((2, 3),) * len(ranges), ((),) * len(ranges), ((0, 2),) * len(ranges)]
    if len(ranges) > 1:
        arrangements += [((2, 3), (3,)), ((2, 1), (1, 3)), ((), (4,))] if len(ranges) == 2 else []

    def draw(rng: np.random.Generator) -> list[tuple[Any, ...]]:
        return [
            tuple(
                _rounded(rng.uniform(low, high, shape))
                for (low, high), shape in zip(ranges, shapes, strict=True)
            )
            for shapes in arrangements
        ]

    return draw


def apart(*ranges: tuple[float, float]) -> Samples:
    """Draws pairs like `between`, never within 0.1 of each other."""
    plain = between(*ranges)

    def draw(rng: np.random.Generator) -> list[tuple[Any, ...]]:
        while True:
            pairs = list(plain(rng))
            if all((abs(a - b) >= 0.1).all() for a, b in pairs):
                return pairs

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
    dtypes="numeric",
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


def _divide_xla(jax: Any, a: Any, b: Any) -> Any:
    xp = jax.numpy
    if a.dtype.kind != "c":
        return xp.divide(a, b)
    # Smith's algorithm, as in NumPy: so the tiers also agree on infinities, which the standard leaves open.
    first = abs(b.real) >= abs(b.imag)
    large, small = xp.where(first, b.real, b.imag), xp.where(first, b.imag, b.real)
    ratio = small / large
    scale = 1 / (large + small * ratio)
    real = xp.where(first, a.real + a.imag * ratio, a.real * ratio + a.imag) * scale
    imag = xp.where(first, a.imag - a.real * ratio, a.imag * ratio - a.real) * scale
    zero = abs(b.real)
    return xp.where(b == 0, jax.lax.complex(a.real / zero, a.imag / zero), jax.lax.complex(real, imag))


divide = Primitive(
    "divide",
    shape=broadcasting("divide"),
    numpy=np.divide,
    xla=_divide_xla,
    vjp=(lambda ct, y, a, b: ct / b, widened("divide", lambda ct, y, a, b: -ct * y / b)),
    dtypes="floating-point",
    samples=between((-2, 2), (0.5, 2)),
)


def _power_numpy(a: Any, b: Any) -> Any:
    if b.dtype.kind != "i":
        y = np.power(a, b)
        if b.dtype.kind != "c" and (b == 0.5).any():
            # NumPy then takes a root, which keeps the sign of -0.0 and has no answer for -inf.
            y = np.where(b == 0.5, np.where(a == -np.inf, -a, y + y.dtype.type(0.0)), y)
        return y
    # Integers to a negative power are truncated to integers: 0, except for 1 and -1.
    whole = np.power(a, np.maximum(b, 0))
    return np.where(b >= 0, whole, np.where(abs(a) == 1, np.where(b % 2 == 0, 1, a), 0)).astype(a.dtype)


def _power_xla(jax: Any, a: Any, b: Any) -> Any:
    xp = jax.numpy
    if a.dtype.kind == "c":
        # XLA uses the logarithm, which 0 does not have.
        return xp.where((a == 0) & (b.real > 0), xp.zeros((), a.dtype), xp.power(a, b))
    if b.dtype.kind not in "iu":
        return xp.power(a, b)
    # Squares and multiplies for every bit of the exponent; XLA's own stops at the sixth.
    result, base, left = xp.ones((), a.dtype), a, xp.maximum(b, 0)
    for _ in range(8 * b.dtype.itemsize - (b.dtype.kind == "i")):
        result = xp.where(left & 1, result * base, result)
        base, left = base * base, left >> 1
    if b.dtype.kind == "u":
        return result
    return xp.where(b >= 0, result, xp.where(abs(a) == 1, xp.where(b % 2 == 0, 1, a), 0)).astype(a.dtype)


def _power_vjp_base(ct: Tensor, y: Tensor, a: Tensor, b: Tensor) -> Tensor:
    # b == 0 is handled apart: 0 * 0 ** -1 would be NaN where the slope is 0, and a base below zero has no
    # powers near this one. The slope of a positive base moves with b there.
    none = equal(b, 0.0)
    moves = isfinite(1.0 / where(none, a, 1.0))
    if a.dtype.kind != "c":
        moves = logical_and(moves, greater(a, 0.0))
    constant = logical_and(none, logical_not(moves))
    return ct * where(constant, 0.0, b * power(a, where(constant, 1.0, b - 1.0)))


def _power_vjp_exponent(ct: Tensor, y: Tensor, a: Tensor, b: Tensor) -> Tensor:
    if a.dtype.kind == "c":
        return ct * (y * log(a))
    # For a base that is not positive the logarithm is left out, as every peer does.
    positive = greater(a, 0.0)
    return ct * (y * where(positive, log(where(positive, a, 1.0)), 0.0))


power: Primitive = Primitive(
    "power",
    shape=broadcasting("power"),
    numpy=_power_numpy,
    xla=_power_xla,
    vjp=(widened("power", _power_vjp_base), widened("power", _power_vjp_exponent)),
    dtypes="numeric",
    samples=between((0.5, 2), (-2, 2)),
    kinks=(
        Kink(
            at=(0.0, 0.0), gradients=(0.0, 0.0), because="0 ** 0 is 1, as is every other base to the power 0"
        ),
        Kink(at=(-2.0, 0.0), gradients=(0.0, 0.0), because="a base below zero has no powers near this one"),
        Kink(at=(-1.0, 2.0), gradients=(-2.0, 0.0), because="a base below zero has no powers near this one"),
        Kink(at=(0.0, 0.5), gradients=(np.inf, 0.0), because="the slope grows without bound towards 0"),
    ),
)


def _whole_power(x: Any, exponent: int) -> Any:
    """Multiplies by squaring, in the order in which XLA does."""
    result, factor, left = None, x, abs(exponent)
    while left:
        if left & 1:
            result = factor if result is None else result * factor
        left >>= 1
        factor = factor * factor if left else factor
    if result is None:
        return np.ones_like(x)
    return np.reciprocal(result) if exponent < 0 else result


def _integer_power_vjp(ct: Tensor, y: Tensor, x: Tensor, exponent: int) -> Tensor:
    if exponent in (0, 1, 2):
        return ct * (0.0, 1.0, x * 2.0)[exponent]
    return ct * (integer_power(x, exponent=exponent - 1) * float(exponent))


integer_power: Primitive = Primitive(
    "integer_power",
    shape=same,
    numpy=_whole_power,
    xla=lambda jax, x, exponent: jax.lax.integer_pow(x, exponent),
    vjp=(_integer_power_vjp,),
    dtypes="floating-point",
    samples=lambda rng: [
        (_rounded(rng.uniform(0.5, 2, shape)), {"exponent": e})
        for e, shape in ((2, (2, 3)), (3, ()), (5, (0, 2)), (-1, (3,)), (-2, (2,)), (1, (2,)), (0, (2,)))
    ],
)


def _signed_zeros(xp: Any, result: Any, sign: Any) -> Any:
    """Gives zeros the sign of another value, as NumPy and the array API standard do."""
    return xp.where(result == 0, xp.copysign(result, sign), result)


def _floor_divide(xp: Any, a: Any, b: Any) -> Any:
    if b.dtype.kind not in "iu":
        whole, quotient = xp.floor_divide(a, b), a / b
        # With an infinity the standard requires floor(a / b), not the quotient that matches the remainder.
        whole = xp.where(xp.isinf(a) | xp.isinf(b), quotient, whole)
        return whole if xp is np else _signed_zeros(xp, whole, quotient)
    # An integer divided by zero is 0, as in NumPy; XLA leaves it open.
    return xp.where(b == 0, 0, xp.floor_divide(a, xp.where(b == 0, 1, b))).astype(a.dtype)


floor_divide = Primitive(
    "floor_divide",
    shape=broadcasting("floor_divide"),
    numpy=lambda a, b: _floor_divide(np, a, b),
    xla=lambda jax, a, b: _floor_divide(jax.numpy, a, b),
    derivative="flat",
    dtypes="real numeric",
    samples=lambda rng: [
        (np.asarray([2.3, -1.2, 0.7]), np.asarray([0.9, 0.8, -0.4])),
        (np.asarray([[1.3], [-0.8]]), np.asarray(0.5)),
        (np.zeros((0, 2)), np.asarray([0.7, -1.1])),
    ],
)


def _remainder_xla(jax: Any, a: Any, b: Any) -> Any:
    rest = jax.numpy.remainder(a, b)
    return rest if b.dtype.kind in "iu" else _signed_zeros(jax.numpy, rest, b)


remainder = Primitive(
    "remainder",
    shape=broadcasting("remainder"),
    numpy=np.remainder,
    xla=_remainder_xla,
    vjp=(lambda ct, y, a, b: ct, lambda ct, y, a, b: -ct * floor_divide(a, b)),
    dtypes="real numeric",
    samples=floor_divide.samples,
    kinks=(
        Kink(
            at=(2.0, 1.0), gradients=(1.0, -2.0), because="the slope from above, where nothing is left over"
        ),
    ),
)


def _if_larger(ct: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return where(greater(a, b), ct, where(less(a, b), 0.0, ct * 0.5))


_TIE = Kink(at=(0.0, 0.0), gradients=(0.5, 0.5), because="ties share, so that swapping changes nothing")

maximum = Primitive(
    "maximum",
    shape=broadcasting("maximum"),
    numpy=np.maximum,
    xla="numpy.maximum",
    vjp=(lambda ct, y, a, b: _if_larger(ct, a, b), lambda ct, y, a, b: _if_larger(ct, b, a)),
    dtypes="real numeric",
    samples=apart((-2, 2), (-2, 2)),
    kinks=(_TIE,),
)
minimum = Primitive(
    "minimum",
    shape=broadcasting("minimum"),
    numpy=np.minimum,
    xla="numpy.minimum",
    vjp=(lambda ct, y, a, b: _if_larger(ct, b, a), lambda ct, y, a, b: _if_larger(ct, a, b)),
    dtypes="real numeric",
    samples=apart((-2, 2), (-2, 2)),
    kinks=(_TIE,),
)


def _not_less(a: Tensor, b: Tensor) -> Any:
    return greater_equal(a, b)


def _not_greater(a: Tensor, b: Tensor) -> Any:
    return less_equal(a, b)


def _extreme_of_first(name: str, function: Primitive, chosen: Any) -> Primitive:
    """Returns a maximum or minimum whose ties have the slope of the first operand; NaN has the second's."""
    why = "the first of equal operands has the gradient, as in TensorFlow"
    return Primitive(
        name,
        shape=broadcasting(name),
        numpy=function.numpy,
        xla=function.xla,
        vjp=(
            lambda ct, y, a, b: where(chosen(a, b), ct, 0.0),
            lambda ct, y, a, b: where(chosen(a, b), 0.0, ct),
        ),
        dtypes="real numeric",
        samples=apart((-2, 2), (-2, 2)),
        kinks=(Kink(at=(0.0, 0.0), gradients=(1.0, 0.0), because=why),),
    )


first_maximum = _extreme_of_first("first_maximum", maximum, _not_less)
first_minimum = _extreme_of_first("first_minimum", minimum, _not_greater)
atan2 = Primitive(
    "atan2",
    shape=broadcasting("atan2"),
    numpy=np.arctan2,
    xla="numpy.arctan2",
    vjp=(
        widened("atan2", lambda ct, y, a, b: ct * b / (a * a + b * b)),
        widened("atan2", lambda ct, y, a, b: -ct * a / (a * a + b * b)),
    ),
    dtypes="real floating-point",
    samples=between((0.5, 2), (0.5, 2)),
)

# -- comparison and logic ---------------------------------------------------------------------------------


def _comparison(name: str, numpy: Any, xla: Any, dtypes: str = "common") -> Primitive:
    return Primitive(
        name,
        shape=boolean(name),
        numpy=numpy,
        xla=xla,
        derivative="discrete",
        dtypes=dtypes,
        samples=between((-2, 2), (-2, 2)),
    )


equal = _comparison("equal", np.equal, comparison_xla.equal)
not_equal = _comparison("not_equal", np.not_equal, lambda jax, a, b: ~comparison_xla.equal(jax, a, b))
less = _comparison("less", np.less, comparison_xla.less, "real")
less_equal = _comparison("less_equal", np.less_equal, comparison_xla.less_equal, "real")
greater = _comparison("greater", np.greater, lambda jax, a, b: comparison_xla.less(jax, b, a), "real")
greater_equal = _comparison(
    "greater_equal", np.greater_equal, lambda jax, a, b: comparison_xla.less_equal(jax, b, a), "real"
)


def _of_truths(name: str) -> Any:
    def lowered(jax: Any, *operands: Any) -> Any:
        return getattr(jax.numpy, name)(*(comparison_xla.true(jax, one) for one in operands))

    return lowered


logical_and = _comparison("logical_and", np.logical_and, _of_truths("logical_and"))
logical_or = _comparison("logical_or", np.logical_or, _of_truths("logical_or"))
logical_xor = _comparison("logical_xor", np.logical_xor, _of_truths("logical_xor"))


def _test(name: str, numpy: Any, xla: Any = None) -> Primitive:
    return Primitive(
        name,
        shape=boolean(name),
        numpy=numpy,
        xla=xla or f"numpy.{name}",
        derivative="discrete",
        samples=between((-2, 2)),
    )


logical_not = _test("logical_not", np.logical_not, _of_truths("logical_not"))
isnan = _test("isnan", np.isnan)
isinf = _test("isinf", np.isinf)
isfinite = _test("isfinite", np.isfinite)

# -- functions of one operand -----------------------------------------------------------------------------


def _unary(name: str, numpy: Any, xla: Any, vjp: Any, samples: Samples, **more: Any) -> Primitive:
    more.setdefault("dtypes", "floating-point")
    return Primitive(name, shape=same, numpy=numpy, xla=xla, vjp=(vjp,), samples=samples, **more)


negative: Primitive = _unary(
    "negative", np.negative, "lax.neg", lambda ct, y, x: negative(ct), between((-2, 2)), dtypes="numeric"
)


def _absolute_vjp(ct: Tensor, y: Tensor, x: Tensor) -> Tensor:
    return cast(ct, dtype=x.dtype) * conj(direction(x)) if x.dtype.kind == "c" else ct * direction(x)


absolute = Primitive(
    "abs",
    shape=lambda x: spec(x.shape, real_dtype(x.dtype)),
    numpy=np.abs,
    xla=at_edges(np.abs, "numpy.abs"),
    vjp=(_absolute_vjp,),
    samples=off((0.0,), -2, 2),
    dtypes="numeric",
    kinks=(Kink(at=(0.0,), gradients=(0.0,), because="the middle of the slopes -1 and 1, as sign(0) is 0"),),
)
square = _unary(
    "square", np.square, "lax.square", lambda ct, y, x: ct * x * 2.0, between((-2, 2)), dtypes="numeric"
)
exp = _unary("exp", np.exp, at_edges(np.exp, "lax.exp"), lambda ct, y, x: ct * y, between((-2, 2)))
expm1 = _unary(
    "expm1",
    complex_edges.expm1,
    at_edges(complex_edges.expm1, "lax.expm1"),
    lambda ct, y, x: ct * (y + 1.0),
    between((-2, 2)),
)
log = _unary("log", np.log, at_edges(np.log, "lax.log"), lambda ct, y, x: ct / x, between((0.5, 3)))
log1p = _unary(
    "log1p", np.log1p, at_edges(np.log1p, "lax.log1p"), lambda ct, y, x: ct / (x + 1.0), between((-0.5, 3))
)


def _sqrt_xla(jax: Any, x: Any) -> Any:
    y = at_edges(np.sqrt, "lax.sqrt")(jax, x)
    # The sign of a zero determines the side of the branch cut.
    return jax.lax.complex(y.real, jax.numpy.copysign(y.imag, x.imag)) if x.dtype.kind == "c" else y


def _sqrt_vjp(ct: Tensor, y: Tensor, x: Tensor) -> Tensor:
    # A zero cotangent stays zero, even at 0 and below, as in where(x > 0, sqrt(x), 0).
    nothing = logical_and(equal(ct, 0.0), logical_or(equal(y, 0.0), not_equal(y, y)))
    return ct * 0.5 / where(nothing, 1.0, y)


sqrt = _unary(
    "sqrt",
    np.sqrt,
    _sqrt_xla,
    _sqrt_vjp,
    between((0.5, 3)),
    kinks=(Kink(at=(0.0,), gradients=(np.inf,), because="the slope grows without bound towards 0"),),
)
rsqrt = _unary(
    "rsqrt",
    lambda x: np.reciprocal(np.sqrt(x)),
    "lax.rsqrt",
    widened("rsqrt", lambda ct, y, x: ct * -0.5 * y / x),
    between((0.5, 3)),
)
sin = _unary("sin", np.sin, at_edges(np.sin, "lax.sin"), lambda ct, y, x: ct * cos(x), between((-3, 3)))
cos: Primitive = _unary(
    "cos", np.cos, at_edges(np.cos, "lax.cos"), lambda ct, y, x: -ct * sin(x), between((-3, 3))
)
tan = _unary(
    "tan",
    complex_edges.tan,
    at_edges(complex_edges.tan, "lax.tan"),
    lambda ct, y, x: ct * (y * y + 1.0),
    between((-1, 1)),
)
asin = _unary(
    "asin",
    np.arcsin,
    at_edges(np.arcsin, "lax.asin", True),
    lambda ct, y, x: ct * rsqrt((1.0 - x) * (1.0 + x)),
    between((-0.9, 0.9)),
)


def _acos_xla(jax: Any, x: Any) -> Any:
    y = at_edges(np.arccos, "lax.acos")(jax, x)
    # The sign of a zero determines the side of the branch cut.
    return jax.lax.complex(y.real, jax.numpy.copysign(y.imag, -x.imag)) if x.dtype.kind == "c" else y


acos = _unary(
    "acos", np.arccos, _acos_xla, lambda ct, y, x: -ct * rsqrt((1.0 - x) * (1.0 + x)), between((-0.9, 0.9))
)
atan = _unary(
    "atan",
    np.arctan,
    at_edges(np.arctan, "lax.atan", True),
    widened("atan", lambda ct, y, x: ct / (1.0 + x * x)),
    between((-3, 3)),
)
sinh = _unary("sinh", np.sinh, at_edges(np.sinh, "lax.sinh"), lambda ct, y, x: ct * cosh(x), between((-2, 2)))
cosh: Primitive = _unary(
    "cosh", np.cosh, at_edges(np.cosh, "lax.cosh"), lambda ct, y, x: ct * sinh(x), between((-2, 2))
)
tanh = _unary(
    "tanh",
    complex_edges.tanh,
    at_edges(complex_edges.tanh, "lax.tanh"),
    lambda ct, y, x: ct * (1.0 - y * y),
    between((-2, 2)),
)


def _erf(x: Any) -> Any:
    from penstock.ops import error_function

    return error_function.erf(x).astype(x.dtype)


erf = _unary(
    "erf",
    _erf,
    "lax.erf",
    lambda ct, y, x: ct * exp(x * x * -1.0) * (2.0 / math.sqrt(math.pi)),
    between((-2, 2)),
    dtypes="real floating-point",
)


# exp of a larger number may overflow, and the quotient is 1 from here on. In float32 it is the first such
# number, 24 * log(2): above it 1 + exp(x) may round up, and TensorFlow's does in all dtypes except float32.
_LARGEST = {"float16": 11.0, "bfloat16": 88.0, "float32": 24 * math.log(2.0), "float64": 700.0}


def _sigmoid(x: Any) -> Any:
    e = np.exp(np.minimum(x, np.asarray(_LARGEST[x.dtype.name], x.dtype)))
    return e / (e + np.ones((), x.dtype))


def _sigmoid_xla(jax: Any, x: Any) -> Any:
    lax = jax.lax
    e = lax.exp(lax.min(x, lax.full_like(x, _LARGEST[x.dtype.name])))
    return lax.div(e, lax.add(e, lax.full_like(e, 1)))


def _logistic(x: Any) -> Any:
    # Both branches stay finite: exp is only taken of numbers that are not positive.
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, np.ones((), x.dtype), small) / (small + np.ones((), x.dtype))


# exp(x) / (1 + exp(x)) has all digits near 1, and is TensorFlow's; 1 / (1 + exp(-x)) is PaddlePaddle's.
sigmoid = _unary(
    "sigmoid",
    _sigmoid,
    _sigmoid_xla,
    lambda ct, y, x: ct * (y * (1.0 - y)),
    between((-3, 3)),
    dtypes="real floating-point",
)
logistic = _unary(
    "logistic",
    _logistic,
    "nn.sigmoid",
    lambda ct, y, x: ct * (y * (1.0 - y)),
    between((-3, 3)),
    dtypes="real floating-point",
)
softplus = _unary(
    "softplus",
    lambda x: np.maximum(x, np.zeros((), x.dtype)) + np.log1p(np.exp(-np.abs(x))),
    "nn.softplus",
    lambda ct, y, x: ct * logistic(x),
    between((-3, 3)),
    dtypes="real floating-point",
)
# Not maximum(x, 0): ties share there, so relu would pass half the gradient at 0.
relu = _unary(
    "relu",
    lambda x: np.maximum(x, np.zeros((), x.dtype)),
    lambda jax, x: jax.lax.max(x, jax.lax.full_like(x, 0)),
    lambda ct, y, x: where(greater(x, 0.0), ct, 0.0),
    off((0.0,), -2, 2),
    dtypes="real numeric",
    kinks=(Kink(at=(0.0,), gradients=(0.0,), because="at 0 the unit is off, as in every peer"),),
)

# -- step functions ---------------------------------------------------------------------------------------


def _step(name: str, numpy: Any, dtypes: str = "real numeric") -> Primitive:
    def whole(x: Any) -> Any:
        return x if x.dtype.kind in "iu" else numpy(x)

    def whole_in_xla(jax: Any, x: Any) -> Any:
        return x if x.dtype.kind in "iu" else getattr(jax.numpy, name)(x)

    return Primitive(
        name,
        shape=same,
        numpy=whole,
        xla=whole_in_xla,
        derivative="flat",
        dtypes=dtypes,
        samples=off((-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0), -2.4, 2.4),
    )


floor = _step("floor", np.floor)
ceil = _step("ceil", np.ceil)
round = _step("round", np.round, "numeric")
trunc = _step("trunc", np.trunc)


def _sign_xla(jax: Any, x: Any) -> Any:
    # The sign of -0.0 is 0.0.
    y = at_edges(complex_edges.sign, "lax.sign")(jax, x)
    return jax.numpy.where(x == 0, jax.numpy.zeros((), x.dtype), y)


sign = Primitive(
    "sign",
    shape=same,
    numpy=complex_edges.sign,
    xla=_sign_xla,
    derivative="flat",
    dtypes="real numeric",
    samples=off((0.0,), -2, 2),
)


def _direction_vjp(ct: Tensor, y: Tensor, x: Tensor) -> Tensor:
    if x.dtype.kind != "c":
        return multiply(ct, 0.0)
    # x / |x| turns with x and does not grow with it: what points along x is taken out.
    length = absolute(x)
    along = cast(real(ct * y), dtype=x.dtype) * conj(y)
    return (ct - along) / cast(where(equal(length, 0.0), np.inf, length), dtype=x.dtype)


# Of a real number this is the sign, with a gradient of zeros: that of TensorFlow and PaddlePaddle. So the
# second derivative of a modulus is zero, and not missing.
direction: Primitive = Primitive(
    "direction",
    shape=same,
    numpy=complex_edges.sign,
    xla=_sign_xla,
    vjp=(_direction_vjp,),
    dtypes="numeric",
    samples=off((0.0,), -2, 2),
    kinks=(Kink(at=(0.0,), gradients=(0.0,), because="the slope is 0 on both sides"),),
)


def _level(step: Primitive) -> Primitive:
    """Returns a step function whose gradient is zeros, as Paddle's have it, where `step` has none."""
    return Primitive(
        f"level_{step.name}",
        shape=same,
        numpy=step.numpy,
        xla=step.xla,
        vjp=(lambda ct, y, x: multiply(ct, 0.0),),
        dtypes="real numeric",
        samples=step.samples,
        kinks=(
            Kink(at=(0.5 if step is round else 1.0,), gradients=(0.0,), because="the slope is 0 beside it"),
        ),
    )


level_floor, level_ceil, level_round, level_trunc = (_level(one) for one in (floor, ceil, round, trunc))

# -- choosing, clipping, stopping -------------------------------------------------------------------------


def _where_shape(condition: Spec, a: Spec, b: Spec) -> Spec:
    return spec(broadcast_shapes("where", condition.shape, a.shape, b.shape), a.dtype)


def _where_samples(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    shapes = [((2, 3), (2, 3), (2, 3)), ((3,), (2, 3), ()), ((), (), ()), ((0, 2), (0, 2), (2,))]
    return [
        (rng.standard_normal(c) > 0, _rounded(rng.uniform(-2, 2, a)), _rounded(rng.uniform(-2, 2, b)))
        for c, a, b in shapes
    ]


where: Primitive = Primitive(
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


def _clip_samples(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    x = np.asarray([-1.5, -0.4, 0.3, 0.9, 1.7])
    return [
        (x, np.asarray(-1.0), np.asarray(1.0)),
        (x, np.full(5, -0.6), np.linspace(0.5, 1.1, 5)),
        (np.zeros((2, 0)), np.asarray(-1.0), np.zeros((1, 0))),
    ]


def _clip_xla(jax: Any, x: Any, low: Any, high: Any) -> Any:
    xp = jax.numpy
    if x.dtype.kind not in "fV":
        return xp.minimum(xp.maximum(x, low), high)
    y = xp.where(comparison_xla.less(jax, x, low) | xp.isnan(low), low, x)
    return xp.where((comparison_xla.less(jax, high, y) & ~xp.isnan(y)) | xp.isnan(high), high, y)


clip = Primitive(
    "clip",
    shape=broadcasting("clip"),
    numpy=lambda x, low, high: np.minimum(np.maximum(x, low), high),
    xla=_clip_xla,
    vjp=(
        lambda ct, y, x, low, high: where(logical_or(less(x, low), greater(x, high)), 0.0, ct),
        lambda ct, y, x, low, high: where(logical_and(less(x, low), less_equal(low, high)), ct, 0.0),
        lambda ct, y, x, low, high: where(logical_or(greater(x, high), greater(low, high)), ct, 0.0),
    ),
    dtypes="real numeric",
    samples=_clip_samples,
    kinks=(
        Kink(at=(1.0, -1.0, 1.0), gradients=(1.0, 0.0, 0.0), because="a value on the border is not clipped"),
        Kink(at=(-1.0, -1.0, 1.0), gradients=(1.0, 0.0, 0.0), because="a value on the border is not clipped"),
        Kink(
            at=(0.0, 1.0, -1.0), gradients=(0.0, 0.0, 1.0), because="of crossed borders the upper one holds"
        ),
    ),
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
