"""Activations, losses, attention, padding, resizing, segments: gradients, tiers, dtypes, bad input."""

import functools
import math

import ml_dtypes
import numpy as np
import pytest

import penstock as ps
from emitters import compiled_as_users
from one_program import value_of, values_of
from penstock.errors import DTypeError, PenstockError, RangeError, ShapeError
from penstock.testing import assert_close, check_grads, gradients, use_engine
from penstock.tiers import xla

RNG = np.random.default_rng(5)
# Away from 0, 0.5, 1, 3, 6 and so on, where the slopes of some change.
X = np.asarray([[-4.2, -0.7, 0.2], [1.3, 0.8, 7.1]])
Y = np.asarray([[0.9, -1.1, 1.4], [0.4, 1.9, -2.2]])
P = np.asarray([[0.2, 0.7, 0.1], [0.4, 0.35, 0.25]])
SIGNS = np.asarray([[1.0, -1.0, 1.0], [-1.0, 1.0, -1.0]])
IMAGE = RNG.standard_normal((2, 4, 3, 2))
Q, K, V = RNG.standard_normal((2, 3, 4)), RNG.standard_normal((2, 5, 4)), RNG.standard_normal((2, 5, 2))
SEEN = np.asarray([[True, False, True, True, False]] * 3)
IDS = np.asarray([2, 0, 2])
ROWS = np.asarray([[0.3, 1.5], [-0.7, 0.4], [1.1, -0.2]])

# By name: the function, and the point of differentiation; order 2 unless the slope itself is not smooth.
CASES = {
    **{
        name: (getattr(ps.nn, name), (X,))
        for name in (
            "relu", "relu6", "leaky_relu", "elu", "selu", "celu", "silu", "softplus", "softsign",
            "softmax", "log_softmax", "logsumexp", "hard_sigmoid", "hard_swish", "hard_tanh", "mish",
            "log_sigmoid", "squareplus", "hard_shrink", "soft_shrink", "tanh_shrink", "threshold", "sigmoid",
            "l2_normalize",
        )
    },
    # Far out the slope is a product of a large number and one that is lost in tanh's last digit.
    "gelu": (ps.nn.gelu, (X / 3,)),
    "gelu exact": (lambda x: ps.nn.gelu(x, False), (X,)),
    "glu": (lambda x: ps.nn.glu(x, axis=0), (X,)),
    "prelu": (ps.nn.prelu, (X, np.asarray([0.1, 0.2, -0.3]))),
    "celu 2": (lambda x: ps.nn.celu(x, 2.0), (X,)),
    "group": (
        lambda x, s, o: ps.nn.group_normalization(x, s, o, 2),
        (RNG.standard_normal((2, 3, 4)), RNG.standard_normal(4), RNG.standard_normal(4)),
    ),
    "softmax_cross_entropy": (lambda x: ps.losses.softmax_cross_entropy(x, ps.asarray([2, 0])), (X,)),
    "smoothed": (lambda x: ps.losses.softmax_cross_entropy(x, ps.asarray([2, 0]), 0.1), (X,)),
    "softmax_cross_entropy of probabilities": (ps.losses.softmax_cross_entropy, (X, P)),
    "sigmoid_cross_entropy": (ps.losses.sigmoid_cross_entropy, (X, P)),
    "squared_error": (ps.losses.squared_error, (X, Y)),
    "absolute_error": (ps.losses.absolute_error, (X, Y)),
    "mean_squared_error": (ps.losses.mean_squared_error, (X, Y)),
    "mean_absolute_error": (ps.losses.mean_absolute_error, (X, Y)),
    "huber": (ps.losses.huber, (X, Y)),
    "log_cosh": (ps.losses.log_cosh, (X, Y)),
    "log_cosh where equal": (ps.losses.log_cosh, (X, X)),
    "hinge": (ps.losses.hinge, (X, SIGNS)),
    "squared_hinge": (ps.losses.squared_hinge, (X, SIGNS)),
    "categorical_hinge": (ps.losses.categorical_hinge, (X, np.asarray([[0.0, 1, 0], [1, 0, 0]]))),
    "binary_cross_entropy": (ps.losses.binary_cross_entropy, (P, P[::-1])),
    "categorical_cross_entropy": (ps.losses.categorical_cross_entropy, (P, P[::-1])),
    "kl_divergence": (ps.losses.kl_divergence, (np.log(P), P[::-1])),
    "cosine_similarity": (ps.losses.cosine_similarity, (X, Y)),
    "poisson": (ps.losses.poisson, (P, P[::-1] * 10)),
    "poisson of logarithms": (lambda a, b: ps.losses.poisson(a, b, True), (Y, P)),
    "gaussian": (ps.losses.gaussian, (X, Y, P)),
    "sigmoid_focal": (ps.losses.sigmoid_focal, (Y, P)),
    "sigmoid_focal weighed": (lambda a, b: ps.losses.sigmoid_focal(a, b, 1.5, 0.25), (Y, P)),
    "triplet_margin": (ps.losses.triplet_margin, (X, Y, P)),
    "attention": (ps.nn.attention, (Q, K, V)),
    "attention causal": (lambda q, k, v: ps.nn.attention(q, k, v, causal=True, scale=0.3), (Q, K, V)),
    "attention masked": (lambda q, k, v: ps.nn.attention(q, k, v, mask=SEEN), (Q, K, V)),
    "attention biased": (
        lambda q, k, v, m: ps.nn.attention(q, k, v, mask=m),
        (Q[0], K[0], V[0], RNG.standard_normal((3, 5))),
    ),
    **{
        f"pad {mode}": (lambda x, mode=mode: ps.nn.pad(x, ((2, 1), (0, 5)), mode, 0.5), (X,))
        for mode in ("constant", "edge", "reflect", "symmetric", "circular")
    },
    "resize nearest": (lambda x: ps.nn.resize(x, (5, 2)), (IMAGE,)),
    "resize bilinear": (lambda x: ps.nn.resize(x, (7, 2), "bilinear"), (IMAGE,)),
    "resize corners": (lambda x: ps.nn.resize(x, (7, 5), "bilinear", align_corners=True), (IMAGE,)),
    "segment_sum": (lambda x: ps.segments.segment_sum(x, IDS, 4), (ROWS,)),
    "segment_mean": (lambda x: ps.segments.segment_mean(x, IDS, 4), (ROWS,)),
    "segment_max": (lambda x: ps.segments.segment_max(x, IDS, 3)[::2], (ROWS,)),
    "segment_min": (lambda x: ps.segments.segment_min(x, IDS, 3)[::2], (ROWS,)),
    "segment_prod": (lambda x: ps.segments.segment_prod(x, IDS, 4), (ROWS,)),
    "top_k": (lambda x: ps.segments.top_k(x, 2)[0], (X,)),
    "scatter_add": (lambda x, u: ps.segments.scatter_add(x, IDS, u), (ROWS, ROWS + 0.1)),
    "scatter_update": (lambda x, u: ps.segments.scatter_update(x, IDS, u), (ROWS, ROWS + 0.1)),
    "scatter_max": (lambda x, u: ps.segments.scatter_max(x, IDS, u), (ROWS, ROWS + 0.1)),
    "scatter_min": (lambda x, u: ps.segments.scatter_min(x, IDS, u), (ROWS, ROWS + 0.1)),
    "scatter_multiply": (lambda x, u: ps.segments.scatter_multiply(x, IDS, u), (ROWS, ROWS + 0.1)),
    "embedding": (lambda x: ps.nn.embedding(x, IDS), (ROWS,)),
}  # fmt: skip


def test_every_vocabulary_has_one_huber_loss():
    """Equal to the bit, with slopes, including the ends of the parabola and 0."""
    from penstock import paddle
    from penstock import tensorflow as tf

    x = np.asarray([-3.0, -0.7, -0.1, 0.0, 0.3, 0.7, 1.9], np.float32)
    zeros = np.zeros_like(x)
    native = ps.Variable(x)
    with ps.GradientTape() as tape:
        found = ps.losses.huber(native, zeros, 0.7)
    slopes = tape.gradient(found, native).numpy()
    of_tensorflow = tf.Variable(x)
    for function in (
        lambda p: tf.keras.losses.huber(zeros[:, None], p[:, None], 0.7),
        lambda p: tf.compat.v1.losses.huber_loss(zeros, p, delta=0.7, reduction="none"),
    ):
        with tf.GradientTape() as tape:
            loss = function(of_tensorflow)
        assert np.array_equal(loss.numpy(), found.numpy())
        assert np.array_equal(tape.gradient(loss, of_tensorflow).numpy(), slopes)
    of_paddle = paddle.to_tensor(x, stop_gradient=False)
    loss = paddle.nn.functional.smooth_l1_loss(of_paddle, paddle.to_tensor(zeros), "none", 0.7)
    loss.sum().backward()
    assert np.array_equal(loss.numpy(), found.numpy()) and np.array_equal(of_paddle.grad.numpy(), slopes)


@pytest.mark.parametrize("name", CASES)
def test_gradients_are_those_of_differences(name):
    function, operands = CASES[name]
    with use_engine("numpy"):
        check_grads(function, *operands, order=2)


def with_gradient(name, seed):
    """A function's value and its gradients by its first operand, near the operands of its case."""
    function, operands = CASES[name]
    rng = np.random.default_rng(seed)
    tensors = [ps.asarray(one * (1 + 1e-3 * rng.random())) for one in operands]
    shape = function(*tensors).shape
    cotangent = np.linspace(0.5, 1.5, math.prod(shape)).reshape(shape)
    found = gradients(function, tensors, [0], [cotangent])
    return [function(*tensors), *(one for one in found if one is not None)]


SEEDS = range(3)


@functools.cache
def in_tier(tier):
    """By seed, the results of all functions in a tier; and how many programs XLA compiled for each seed."""
    found, compiled = [], []
    for seed in SEEDS:
        before = len(xla.compilations)
        # The values of one of them are roundings of 0.
        names = [name for name in CASES if name != "log_cosh where equal"]
        found.append(values_of(tier, {name: functools.partial(with_gradient, name, seed) for name in names}))
        compiled.append(len(xla.compilations) - before)
    return found, compiled


@pytest.mark.parametrize("name", [name for name in CASES if name != "log_cosh where equal"])
def test_tiers_agree(name):
    for want, got in zip(in_tier("numpy")[0], in_tier("xla")[0], strict=True):
        for one, other in zip(value_of(got[name]), value_of(want[name]), strict=True):
            assert_close(one, other, name)


ROUNDED = (
    "mish", "softmax", "triplet_margin", "attention biased", "tanh_shrink", "group", "squared_hinge",
    "l2_normalize", "smoothed", "silu", "hinge", "sigmoid_focal weighed", "cosine_similarity",
)  # fmt: skip
"""Where users' code rounds otherwise than code that is compiled quickly, by up to 18 roundings of float64."""


@functools.cache
def as_users():
    with compiled_as_users():
        return values_of("xla", {name: functools.partial(with_gradient, name, 0) for name in ROUNDED})


@pytest.mark.xla
@pytest.mark.parametrize("name", ROUNDED)
def test_programs_of_users_agree(name):
    for one, other in zip(value_of(as_users()[name]), value_of(in_tier("numpy")[0][0][name]), strict=True):
        assert_close(one, other, name)


def test_nothing_is_compiled_for_fresh_values():
    assert in_tier("xla")[1][-1] == 0


def in_dtype(name, dtype):
    function, operands = CASES[name]
    return function(*(ps.asarray(one.astype(dtype)) for one in operands))


@functools.cache
def narrow(tier, dtype):
    """What all functions come to in a tier, by operands of a dtype."""
    calls = {name: functools.partial(in_dtype, name, dtype) for name in CASES}
    # Another test checks XLA with halves for each primitive: see test_vjp_table.py.
    return values_of(tier, calls, quickly=dtype.itemsize == 2)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("name", CASES)
def test_narrow_dtypes_are_kept(name, dtype, tier):
    function, operands = CASES[name]
    dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    with use_engine("numpy"):
        want = function(*(ps.asarray(one.astype(dtype).astype(np.float64)) for one in operands)).numpy()
    got = value_of(narrow(tier, dtype)[name])
    assert got.dtype == dtype
    # Intermediate results are rounded too; the largest of a dozen roundings of terms up to 60 or so.
    scale = max(1.0, float(np.abs(want[np.isfinite(want)]).max(initial=0)))
    assert np.allclose(
        got.astype(np.float64), want, rtol=0, atol=64 * float(ml_dtypes.finfo(dtype).eps) * scale
    )


# -- properties that differences do not show ----------------------------------------------------------------


def test_extremes_do_not_overflow(tier):
    far = ps.asarray([-1e4, 1e4])
    for name in ("gelu", "silu", "mish", "log_sigmoid", "celu", "elu", "selu", "softplus", "hard_swish"):
        value = getattr(ps.nn, name)(far).numpy()
        assert not np.isnan(value).any(), name
    assert ps.losses.log_cosh(far, ps.zeros((2,))).numpy() == pytest.approx(1e4 - math.log(2), rel=1e-6)


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "circular"])
@pytest.mark.parametrize("widths", [1, (0, 2), ((1, 0), (2, 2)), ((7, 5), (9, 0))])
def test_padding_is_that_of_numpy(mode, widths, tier):
    x = np.arange(12.0).reshape(3, 4)
    want = np.pad(x, widths, "wrap" if mode == "circular" else mode)
    assert np.array_equal(ps.nn.pad(ps.asarray(x), widths, mode).numpy(), want)


def test_attention_of_nothing_is_zero_and_its_gradient_finite(tier):
    q = ps.Variable(Q)
    nothing = np.zeros((3, 5), bool)
    with ps.GradientTape() as tape:
        y = ps.nn.attention(q, K, V, mask=nothing)
    assert np.array_equal(y.numpy(), np.zeros((2, 3, 2)))
    assert np.array_equal(tape.gradient(y, q).numpy(), np.zeros_like(Q))


def test_dropout_keeps_the_mean_and_says_which(tier):
    ps.random.seed(3)
    x = ps.ones((10_000,))
    y = ps.nn.dropout(x, 0.25).numpy()
    assert set(np.unique(y).tolist()) == {0.0, float(np.float32(1 / 0.75))}
    assert abs(y.mean() - 1.0) < 0.03
    key = ps.random.key()
    assert np.array_equal(ps.nn.dropout(x, 0.25, key=key).numpy(), ps.nn.dropout(x, 0.25, key=key).numpy())
    assert np.array_equal(ps.nn.dropout(x, 1.0).numpy(), np.zeros(10_000))


def test_segments_without_entries(tier):
    data, ids = ps.asarray([1.0, 2.0]), ps.asarray([0, 0])
    values = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf}
    for name, want in values.items():
        assert getattr(ps.segments, f"segment_{name}")(data, ids, 2).numpy()[1] == want
    assert ps.segments.segment_max(ps.asarray([3, 4]), ids, 2).numpy().tolist() == [4, -(2**63)]
    assert ps.segments.segment_sum(data, ids).shape == (1,)


def test_product_of_a_zero_has_the_slope_of_the_others(tier):
    x = ps.Variable(np.asarray([0.0, 2.0, 0.0, 0.0, 5.0]))
    with ps.GradientTape() as tape:
        y = ps.segments.segment_prod(x, np.asarray([0, 0, 1, 1, 2]), 3)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 0.0, 0.0, 0.0, 1.0]


def test_ties_share_the_gradient(tier):
    x = ps.Variable(np.asarray([1.0, 1.0, 0.5]))
    with ps.GradientTape() as tape:
        y = ps.segments.segment_max(x, np.asarray([0, 0, 0]), 1)
    assert tape.gradient(y, x).numpy().tolist() == [0.5, 0.5, 0.0]


def test_top_k_puts_the_first_of_equals_first(tier):
    values, positions = ps.segments.top_k(ps.asarray([[1.0, 3.0, 3.0, 2.0]]), 3)
    assert values.numpy().tolist() == [[3.0, 3.0, 2.0]]
    assert positions.numpy().tolist() == [[1, 2, 3]]


def test_certain_probabilities(tier):
    p, y = ps.Variable(np.asarray([0.0, 1.0])), np.asarray([0.0, 1.0])
    with ps.GradientTape() as tape:
        loss = ps.losses.binary_cross_entropy(p, y)
    assert loss.numpy().tolist() == [0.0, 0.0]
    assert tape.gradient(loss, p).numpy().tolist() == [1.0, -1.0]
    kl = ps.losses.kl_divergence(ps.asarray([[-np.inf, 0.0]]), ps.asarray([[0.0, 1.0]]))
    assert kl.numpy().tolist() == [0.0]


# -- bad input ----------------------------------------------------------------------------------------------

BAD = {
    "glu": (ShapeError, "glu: axis 1 of shape", lambda: ps.nn.glu(X)),
    "attention": (ShapeError, "attention: query", lambda: ps.nn.attention(Q, V, V)),
    "attention mask": (
        DTypeError,
        "the mask is int64",
        lambda: ps.nn.attention(Q, K, V, mask=np.ones((3, 5), int)),
    ),
    "dropout": (PenstockError, "dropout was given the rate 1.5", lambda: ps.nn.dropout(X, 1.5)),
    "pad mode": (PenstockError, "pad was given mode 'mirror'", lambda: ps.nn.pad(X, 1, "mirror")),
    "pad widths": (ShapeError, "pad: widths -1", lambda: ps.nn.pad(X, -1)),
    "pad axes": (
        ShapeError,
        r"pad: widths \(\(1, 1\), \(1, 1\), \(1, 1\)\)",
        lambda: ps.nn.pad(X, ((1, 1),) * 3),
    ),
    "pad empty": (ShapeError, "too few entries", lambda: ps.nn.pad(np.zeros((0,)), 1, "edge")),
    "resize size": (ShapeError, "resize: size", lambda: ps.nn.resize(IMAGE, (1, 2, 3))),
    "resize method": (
        PenstockError,
        "resize was given method 'quartic'",
        lambda: ps.nn.resize(IMAGE, 3, "quartic"),
    ),
    "groups": (
        ShapeError,
        "group_normalization: 3 groups",
        lambda: ps.nn.group_normalization(np.zeros((2, 4)), np.ones(4), np.ones(4), 3),
    ),
    "segment ids": (ShapeError, "segment_sum: segment ids", lambda: ps.segments.segment_sum(ROWS, [0, 1], 2)),
    "segment floats": (ShapeError, "segment_max", lambda: ps.segments.segment_max(ROWS, [0.0, 1.0, 1.0], 2)),
    "num_segments": (PenstockError, "num_segments = -1", lambda: ps.segments.segment_sum(ROWS, IDS, -1)),
    "outside": (RangeError, "index 2", lambda: ps.segments.segment_sum(ROWS, IDS, 2).numpy()),
    "outside max": (
        RangeError,
        "scatter_max: index 2",
        lambda: ps.segments.segment_max(ROWS, IDS, 2).numpy(),
    ),
    "scatter": (ShapeError, "scatter_add: indices", lambda: ps.segments.scatter_add(ROWS, [0], ROWS)),
    "scatter_max": (ShapeError, "scatter_max: indices", lambda: ps.segments.scatter_max(ROWS, [0], ROWS)),
    "top_k": (ShapeError, "top_k: 9 elements", lambda: ps.segments.top_k(X, 9)),
    "embedding": (RangeError, "index 7", lambda: ps.nn.embedding(ROWS, [7]).numpy()),
    "labels": (ShapeError, "labels", lambda: ps.losses.softmax_cross_entropy(X, [[1]])),
    "shapes": (ShapeError, "do not broadcast", lambda: ps.losses.huber(X, np.zeros((4,)))),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_on_its_line(name):
    kind, words, call = BAD[name]
    with pytest.raises(kind, match=words) as caught:
        call()
    assert caught.value.site.file == __file__
    assert abs(caught.value.site.line - call.__code__.co_firstlineno) <= 2
