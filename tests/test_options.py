"""Options are numbers of any type: one that varies becomes a run-time argument."""

import decimal
import enum
import fractions
import inspect

import ml_dtypes
import numpy as np
import pytest

import bad_calls
import penstock as ps
import penstock.paddle as paddle
import penstock.tensorflow as tf
from bad_calls import CALLS, public_functions
from penstock.errors import PenstockError
from penstock.ops.validation import plain
from penstock.testing import use_engine

FUNCTIONS = {name: one for name, one in public_functions().items() if name in CALLS}
VALUES = [0.3 + 0.05 * i for i in range(7)]
KINDS = {
    "float64": np.float64,
    "float32": np.float32,
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "an array without axes": np.asarray,
    "a fraction": fractions.Fraction,
}
SETTLED = 3
"""After this many values, a constant has become an argument, and so have all that vary with it."""


def fresh_call():
    """A new line that calls a function, as `bad_calls.call` does."""
    scope = dict(vars(bad_calls))
    exec(compile(inspect.getsource(bad_calls.call), __file__, "exec"), scope)
    return scope["call"]


def numeric(name, kinds):
    """The options of a function that are numbers of these kinds, with a value that they have."""
    for parameter in inspect.signature(FUNCTIONS[name]).parameters.values():
        value = CALLS[name].get(parameter.name, parameter.default)
        annotated = str(parameter.annotation).split(" | ")[0]
        if annotated in kinds and not isinstance(value, bool | np.ndarray | ps.Tensor | tuple):
            yield parameter.name, value


FRACTIONS = [(name, option) for name in FUNCTIONS for option, _ in numeric(name, ("float",))]
WHOLES = [
    (name, option, value)
    for name in FUNCTIONS
    for option, value in numeric(name, ("int", "Axis"))
    if isinstance(value, int)
]


def nodes():
    return ps.trace_statistics().nodes


def grown(ask, values):
    """How many nodes are recorded for these values once the first have been seen."""
    for value in values[:SETTLED]:
        ask(value)
    before = nodes()
    for value in values[SETTLED:]:
        ask(value)
    return nodes() - before


def leaves(result):
    if isinstance(result, ps.Tensor):
        return [result.numpy()]
    return [leaf for one in result for leaf in leaves(one)] if isinstance(result, list | tuple) else []


def test_the_walk_finds_options():
    assert len(FRACTIONS) > 25 and ("nn.leaky_relu", "negative_slope") in FRACTIONS
    assert len(WHOLES) > 50 and ("nn.softmax", "axis", -1) in WHOLES


@pytest.mark.parametrize(("name", "option"), FRACTIONS)
def test_a_fraction_of_any_type_that_varies_is_an_argument(name, option):
    function, good = FUNCTIONS[name], CALLS[name]
    if name == "nn.resize":
        good = good | {"method": "cubic"}
    with use_engine("numpy"):
        for word, kind in {"float": float, **KINDS}.items():
            ask = fresh_call()
            more = grown(lambda value: ask(function, good | {option: kind(value)}), VALUES)  # noqa: B023
            assert not more, f"{name}: {option} as {word}: {more} nodes more"
        for kind in (np.float64, np.float32):
            value = kind(0.45)
            pair = []
            for one in (value, float(value)):
                ps.random.seed(0)
                pair.append(leaves(ask(function, good | {option: one})))
            for a, b in zip(*pair, strict=True):
                assert a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True), f"{name}: {option}"


@pytest.mark.parametrize(("name", "option"), FRACTIONS)
def test_a_tensor_given_for_a_fraction_works_or_is_refused_by_name(name, option):
    function, good = FUNCTIONS[name], CALLS[name]
    if name == "nn.resize":
        good = good | {"method": "cubic"}
    ask = fresh_call()
    with use_engine("numpy"):
        try:
            more = grown(lambda value: ask(function, good | {option: ps.asarray(value)}), VALUES)
        except PenstockError as error:
            assert "Tensor(" in error.fact and (option in error.fact or name.split(".")[-1] in error.fact)
        else:
            assert not more, f"{name}: {option} as a tensor: {more} nodes more"


@pytest.mark.parametrize(("name", "option", "value"), WHOLES)
def test_a_whole_number_of_numpy_is_that_of_python(name, option, value):
    function, good, ask = FUNCTIONS[name], CALLS[name], fresh_call()
    with use_engine("numpy"):
        for _ in range(2):
            ask(function, good | {option: value})
        before = nodes()
        for kind in (np.int64, np.int32, np.asarray):
            ask(function, good | {option: kind(value)})
        assert nodes() == before, f"{name}: {option}"


def test_two_and_two_halves_of_four_are_not_the_same_to_integers():
    x = ps.asarray([-1, 2])
    kinds = [ps.nn.leaky_relu(x, value).dtype.kind for value in (2, 2.0, np.int64(2), np.float64(2), 2, 0.5)]
    assert kinds == list("ififif")
    x = ps.asarray([-1.0, 2.0])
    found = [ps.nn.leaky_relu(x, value) for value in (2, 2.0, np.int64(2), np.float64(2), 2)]
    assert {(one.dtype.name, float(one[0])) for one in found} == {("float32", -2.0)}


@pytest.mark.xla
def test_a_program_with_a_number_of_numpy_is_compiled_once():
    x, steps = ps.Variable(np.ones((4, 4), np.float32)), 40
    with use_engine("auto"):
        before = ps.trace_statistics().compilations
        for i in range(steps):
            ps.nn.leaky_relu(x - 2.0, np.float64(0.01 * i + 0.001)).numpy()
        assert ps.trace_statistics().compilations - before == 1


def test_an_option_that_is_a_tensor_has_a_gradient():
    x, slope = ps.asarray([-2.0, 3.0]), ps.Variable(0.5)
    with ps.GradientTape() as tape:
        y = ps.sum(ps.nn.leaky_relu(x, slope))
    assert float(tape.gradient(y, slope)) == -2.0


def test_an_option_that_is_no_number_is_refused_by_name():
    x = ps.asarray([1.0, -1.0])
    for wrong in ("half", np.datetime64(3, "D"), np.ones(2), [0.5], object()):
        with pytest.raises(PenstockError, match="leaky_relu: negative_slope is"):
            ps.nn.leaky_relu(x, wrong)


class Kind(enum.IntEnum):
    ONE = 1


class Rate(float):
    """A number that a user has made one."""


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (np.float64(0.5), 0.5), (np.float16(0.5), 0.5), (ml_dtypes.bfloat16(0.5), 0.5),
        (np.longdouble(0.5), 0.5), (np.clongdouble(1j), 1j),
        (np.complex64(1j), 1j), (np.bool_(True), True), (np.uint8(4), 4),
        (np.asarray(1), 1), (fractions.Fraction(1, 2), 0.5), (decimal.Decimal("0.5"), 0.5), (Kind.ONE, 1),
        (Rate(2.0), 2.0), ("word", "word"), (None, None),
    ],
)  # fmt: skip
def test_plain_numbers(given, meant):
    assert plain(given) == meant and type(plain(given)) is type(meant)


# -- the dialects -------------------------------------------------------------------------------------------

X, P = bad_calls.X, bad_calls.P
T, Y = tf.constant(X), tf.constant(X + 1)
A, B = paddle.to_tensor(X), paddle.to_tensor(X + 1)
LABEL = paddle.to_tensor(P)
DIALECTS = {
    "tf.nn.leaky_relu": lambda v: tf.nn.leaky_relu(T, alpha=v),
    "tf.nn.silu": lambda v: tf.nn.silu(T, beta=v),
    "tf.nn.dropout": lambda v: tf.nn.dropout(T, rate=v),
    "tf.nn.l2_normalize": lambda v: tf.nn.l2_normalize(T, epsilon=v),
    "tf.random.normal": lambda v: tf.random.normal((2,), mean=v),
    "tf.random.uniform": lambda v: tf.random.uniform((2,), maxval=v),
    "tf.clip_by_norm": lambda v: tf.clip_by_norm(T, v),
    "tf.keras.losses.huber": lambda v: tf.keras.losses.huber(T, Y, delta=v),
    "tf.keras.losses.categorical_crossentropy": lambda v: tf.keras.losses.categorical_crossentropy(
        P, P, label_smoothing=v
    ),
    "tf.keras.losses.binary_focal_crossentropy": lambda v: tf.keras.losses.binary_focal_crossentropy(
        P, P, gamma=v, label_smoothing=v
    ),
    "tf.keras.losses.categorical_focal_crossentropy": lambda v: (
        tf.keras.losses.categorical_focal_crossentropy(P, P, alpha=v, gamma=v, label_smoothing=v)
    ),
    "tf.keras.losses.tversky": lambda v: tf.keras.losses.tversky(P, P, alpha=v),
    "F.leaky_relu": lambda v: paddle.nn.functional.leaky_relu(A, v),
    "F.celu": lambda v: paddle.nn.functional.celu(A, v),
    "F.dropout": lambda v: paddle.nn.functional.dropout(A, v),
    "F.normalize": lambda v: paddle.nn.functional.normalize(A, p=v, epsilon=v),
    "F.label_smooth": lambda v: paddle.nn.functional.label_smooth(LABEL, epsilon=v),
    "F.sigmoid_focal_loss": lambda v: paddle.nn.functional.sigmoid_focal_loss(A, LABEL, alpha=v, gamma=v),
    "F.triplet_margin_loss": lambda v: paddle.nn.functional.triplet_margin_loss(A, B, A, margin=v, p=v + 1.0),
    "paddle.norm": lambda v: paddle.norm(A, p=v),
    "paddle.dist": lambda v: paddle.dist(A, B, p=v),
    "paddle.logit": lambda v: paddle.logit(LABEL, eps=v),
    "paddle.stanh": lambda v: paddle.stanh(A, scale_a=v),
    "paddle.lerp": lambda v: paddle.lerp(A, B, v),
}


@pytest.mark.parametrize("name", DIALECTS)
def test_a_fraction_that_varies_is_an_argument_in_the_dialects(name):
    source = inspect.getsource(looking)
    with use_engine("numpy"):
        for kind in (float, np.float64, np.float32, np.asarray):
            scope = {}
            exec(compile(source, __file__, "exec"), scope)
            more = grown(lambda value: scope["looking"](DIALECTS[name], kind(value)), VALUES)  # noqa: B023
            assert not more, f"{name} with {kind.__name__}: {more} nodes more"


def looking(function, value):
    function(value).numpy()


def test_orders_of_norms_may_alternate():
    orders = (1.0, 2.0, float("inf"), 3.0, 2.5, np.float64(1.0))
    for order in orders:
        assert np.isclose(paddle.norm(A, p=order).numpy(), np.linalg.norm(X.ravel(), order))
        assert np.isclose(paddle.dist(A, B, p=order).numpy(), np.linalg.norm(np.ones(6), order))
        assert np.isclose(ps.linalg.vector_norm(X, ord=order).numpy(), np.linalg.norm(X.ravel(), order))
    before = nodes()
    for order in orders:
        paddle.norm(A, p=order).numpy()
    after = nodes()
    assert after - before <= 2 * len(orders)
