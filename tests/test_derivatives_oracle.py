"""Values and derivatives against TensorFlow's, as recorded: they agree, or the difference is declared."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import penstock as ps
from penstock.grad.rows import Rows
from penstock.testing import use_engine

RECORD = Path(__file__).parent / "oracles" / "derivatives.json"
CASES = json.loads(RECORD.read_text(encoding="utf-8"))["cases"]

HALF = "equal operands share the gradient; TensorFlow gives it all to the first"
TRUE = "the true derivative; TensorFlow takes the labels to sum to one"
POWER = "x ** 0 is 1 for every x, so its slope is 0 there too; TensorFlow finds 0 * inf"
MIDDLE = "the slope is the middle of those around, 0; TensorFlow finds 0 * inf"
UPPER = "of crossed borders the upper one holds, as in NumPy and JAX; in TensorFlow the lower one does"

FLAT = "a step function, with no slope to follow, as floor and round; TensorFlow lets zeros through"

# Intended differences: by case, by input or "value": Penstock's value, and the reason.
DECLARED = {
    "sign": {"x": (None, FLAT)},
    "pow of zero": {"x": ([0.0, "-inf", 2.0, 0.0, "inf"], POWER)},
    "pow scalar exponent zero": {"x": ([0.0, 0.0, 0.0, 0.0, 0.0], POWER)},
    "maximum": {
        "x": ([0.0, -0.25, 2.0, 0.125, -0.75, 0.5625], HALF),
        "y": ([1.0, -0.25, 0.0, 0.125, -0.75, 0.5625], HALF),
    },
    "maximum broadcast": {
        "x": ([[0.5, 0.0, 2.0], [0.25, 0.0, 0.5625]], HALF),
        "y": ([0.5, -2.0, 0.5625], HALF),
    },
    "maximum scalar zero": {"x": ([0.0, 0.0, 1.0, 0.25, -1.5], HALF)},
    "maximum nan": {"x": ([0.5, -0.25], HALF), "y": ([0.5, -0.25], HALF)},
    "minimum": {
        "x": ([1.0, -0.25, 0.0, 0.125, -0.75, 0.5625], HALF),
        "y": ([0.0, -0.25, 2.0, 0.125, -0.75, 0.5625], HALF),
    },
    "minimum broadcast": {
        "x": ([[0.5, -0.5, 0.0], [0.0, -1.5, 0.5625]], HALF),
        "y": ([0.75, 0.0, 2.5625], HALF),
    },
    "minimum scalar zero first": {"x": ([1.0, -0.5, 1.0, 0.0, 0.0], HALF)},
    "clip_by_value crossed borders": {
        "value": ([-1.0, -1.0, -1.0], UPPER),
        "low": ([0.0, 0.0, 0.0], UPPER),
        "high": ([1.0, -0.5, 2.0], UPPER),
    },
    "reduce_std constant": {"x": ([0.0, 0.0, 0.0], MIDDLE)},
    "norm zero": {"x": ([0.0, 0.0], MIDDLE)},
    "softmax_cross_entropy_with_logits labels not summing to one": {
        "x": ([[-0.36570955, 0.72418022, -0.35847067]], TRUE)
    },
}

# TensorFlow keeps a constant of these in float32 for operands of any dtype.
ROUNDED = {"leaky_relu", "gelu exact", "gelu approximate"}

# Operations of the record that have no counterpart among the array functions.
ABSENT = {
    *("erfc", "divide_no_nan", "l2_loss", "add_n", "clip_by_norm", "clip_by_norm below"),
    *("gather batch", "top_k", "cumsum exclusive", "cumsum reverse"),
}


def axis_of(function):
    """TensorFlow's spelling of a reduction: the axis may stand second, and may be a list."""

    def reduce(x, axis=None, keepdims=False):
        return function(x, axis=tuple(axis) if isinstance(axis, list) else axis, keepdims=keepdims)

    return reduce


def matmul(x, y, transpose_a=False, transpose_b=False):
    x = ps.matrix_transpose(x) if transpose_a else x
    return ps.matmul(x, ps.matrix_transpose(y) if transpose_b else y)


def gather(x, indices, axis=0):
    return ps.take(x, indices, axis=axis)


# What the calls of the record mean in our own names.
TENSORFLOW = SimpleNamespace(
    add=ps.add,
    subtract=ps.subtract,
    multiply=ps.multiply,
    divide=ps.divide,
    pow=ps.pow,
    maximum=ps.maximum,
    minimum=ps.minimum,
    exp=ps.exp,
    sqrt=ps.sqrt,
    square=ps.square,
    abs=ps.abs,
    negative=ps.negative,
    sign=ps.sign,
    round=ps.round,
    floor=ps.floor,
    sin=ps.sin,
    cos=ps.cos,
    tan=ps.tan,
    atan=ps.atan,
    asin=ps.asin,
    acos=ps.acos,
    sinh=ps.sinh,
    cosh=ps.cosh,
    tanh=ps.tanh,
    sigmoid=ps.nn.sigmoid,
    atan2=ps.atan2,
    where=ps.where,
    zeros_like=ps.zeros_like,
    clip_by_value=ps.clip,
    matmul=matmul,
    gather=gather,
    reshape=ps.reshape,
    transpose=lambda x: x.T,
    concat=ps.concat,
    stack=ps.stack,
    broadcast_to=ps.broadcast_to,
    constant=lambda value, dtype: ps.asarray(value, dtype=dtype),
    float64=np.float64,
    reduce_sum=axis_of(ps.sum),
    reduce_mean=axis_of(ps.mean),
    reduce_max=axis_of(ps.max),
    reduce_min=axis_of(ps.min),
    reduce_prod=axis_of(ps.prod),
    reduce_logsumexp=ps.nn.logsumexp,
    norm=ps.linalg.vector_norm,
    tensordot=lambda x, y, axes: ps.tensordot(x, y, axes=axes),
    tile=ps.tile,
    sort=ps.sort,
    cumsum=lambda x, axis=0: ps.cumulative_sum(x, axis=axis),
    linalg=SimpleNamespace(matvec=ps.matmul),
    math=SimpleNamespace(
        floordiv=ps.floor_divide,
        floormod=ps.remainder,
        squared_difference=ps.losses.squared_error,
        log=ps.log,
        log1p=ps.log1p,
        expm1=ps.expm1,
        rsqrt=ps.rsqrt,
        ceil=ps.ceil,
        erf=ps.erf,
        reciprocal=ps.reciprocal,
        reduce_variance=axis_of(ps.var),
        reduce_std=axis_of(ps.std),
    ),
    nn=SimpleNamespace(
        softplus=ps.nn.softplus,
        relu=ps.nn.relu,
        relu6=ps.nn.relu6,
        leaky_relu=lambda x, alpha: ps.nn.leaky_relu(x, alpha),
        elu=ps.nn.elu,
        selu=ps.nn.selu,
        gelu=ps.nn.gelu,
        silu=ps.nn.silu,
        softsign=ps.nn.softsign,
        softmax=ps.nn.softmax,
        log_softmax=ps.nn.log_softmax,
        embedding_lookup=gather,
        sparse_softmax_cross_entropy_with_logits=lambda labels, logits: ps.losses.softmax_cross_entropy(
            logits, labels
        ),
        softmax_cross_entropy_with_logits=lambda labels, logits: ps.losses.softmax_cross_entropy(
            logits, labels
        ),
        sigmoid_cross_entropy_with_logits=lambda labels, logits: ps.losses.sigmoid_cross_entropy(
            logits, labels
        ),
    ),
)


def array(numbers):
    """Numbers of the record as an array: "nan" and "inf" are words there, integers are int32."""
    found = np.asarray(numbers)
    if found.dtype.kind == "U":
        return np.vectorize(float, otypes=[np.float64])(np.asarray(numbers, dtype=object))
    return found.astype(np.int32) if found.dtype.kind == "i" else found


def evaluated(case):
    """The value of a case, and the gradients by its floating-point inputs."""
    inputs = {name: ps.asarray(array(numbers)) for name, numbers in case["inputs"].items()}
    sources = [one for one in inputs.values() if one.dtype == np.float64]
    with ps.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(*sources)
        value = eval(case["call"], {"tf": TENSORFLOW, **inputs})
    found = iter(
        tape.gradient(value, sources, output_gradients=ps.asarray(array(case["cotangent"]).astype(float)))
    )
    return value, {name: next(found) for name, one in inputs.items() if one.dtype == np.float64}


def agrees(got, want, precision):
    """Whether a value or gradient is the expected one. An absent gradient is None on both sides."""
    if got is None or want is None:
        return got is None and want is None
    return np.allclose(np.asarray(got), array(want), rtol=precision, atol=precision / 100, equal_nan=True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_derivative_is_tensorflows_or_the_difference_is_declared(case):
    name = case["name"]
    if name in ABSENT:
        with pytest.raises((AttributeError, TypeError)):
            evaluated(case)
        return
    with use_engine("numpy"):
        value, gradients = evaluated(case)
        for part, want in {"value": case["value"], **case["gradients"]}.items():
            got = value if part == "value" else gradients[part]
            ours = DECLARED.get(name, {}).get(part)
            if ours is None:
                precision = 1e-6 if name in ROUNDED else 1e-9
                assert agrees(got, want, precision), f"{part}: {np.asarray(got)}, TensorFlow {want}"
            else:
                assert agrees(got, ours[0], 1e-7), f"{part}: {np.asarray(got)}, declared {ours[0]}"
                assert not agrees(got, want, 1e-6), f"{part}: declared, but there is no difference"
    assert {source for source, one in gradients.items() if isinstance(one, Rows)} == set(case.get("rows", ()))


def test_declared_differences_are_in_the_record():
    assert {*DECLARED, *ROUNDED, *ABSENT} <= {case["name"] for case in CASES}


COMPLEX = json.loads((RECORD.parent / "complex_gradients.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("name", COMPLEX)
def test_gradients_of_complex_numbers_are_those_of_tensorflow_and_pytorch(name, tier):
    """Not their conjugates, as in JAX: a step against the gradient makes the loss smaller."""
    names = ("real", "imag", "conj", "abs", "log", "exp", "sqrt", "sin", "cos", "tanh")
    words = {one: getattr(ps, one) for one in names}
    for point, *wanted in COMPLEX[name]["rows"]:
        z = ps.asarray(np.complex128(complex(*point)))
        with ps.GradientTape() as tape:
            tape.watch(z)
            loss = eval(COMPLEX[name]["loss"], words, {"z": z})
        got = complex(tape.gradient(loss, z))
        for theirs in wanted:
            assert abs(got - complex(*theirs)) < 1e-12
