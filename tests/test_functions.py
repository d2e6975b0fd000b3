"""The public functions compared with NumPy's and SciPy's, at their edge cases, and their errors."""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as arrays
from scipy import special

import penstock as ps
import specification
import test_vocabulary
from penstock.errors import DTypeError, PenstockError, RangeError, ShapeError
from penstock.functions import array, losses, nn
from penstock.functions.composite import composite
from penstock.grad.functional import grad, value_and_grad
from penstock.grad.rows import Rows
from penstock.ops import pointwise
from penstock.testing import assert_close, check_grads, check_tiers, use_engine
from penstock.trace.local import local

GRID = np.round(np.random.default_rng(0).standard_normal((2, 3)), 2)
UNIT = np.asarray([[-0.9, 0.1, 0.4], [0.7, -0.3, 0.0]])

ARGUMENTS = {
    "add subtract multiply divide maximum minimum floor_divide remainder": (
        GRID,
        np.asarray([1.5, -0.7, 2.0]),
    ),
    "equal not_equal less less_equal greater greater_equal atan2": (GRID, GRID[::-1]),
    "logical_and logical_or logical_xor": (GRID > 0, GRID > 0.5),
    "negative abs sign square exp expm1 sin cos tan sinh cosh tanh atan": (GRID,),
    "floor ceil round trunc isnan isfinite isinf": (GRID,),
    "sum mean prod max min all any argmax argmin": (GRID,),
    "flip matrix_transpose squeeze zeros_like ones_like asarray": (GRID,),
    "log log1p sqrt": (GRID**2 + 0.5,),
    "asin acos": (UNIT,),
    "logical_not": (GRID > 0,),
    "pow": (GRID**2 + 0.5, GRID),
    "where": (GRID > 0, GRID, 1.5),
    "clip": (GRID, -0.5, 0.25),
    "matmul": (GRID, GRID.T),
    "concat stack": ([GRID, GRID],),
    "permute_dims": (GRID, (1, 0)),
    "reshape": (GRID, (3, -1)),
    "broadcast_to": (GRID, (4, 2, 3)),
    "take": (GRID[0], np.asarray([2, 0])),
    "arange": (2, 9, 3),
    "full": ((2, 2), 1.5),
    "zeros ones": ((2,),),
}
SAME = {name: arguments for names, arguments in ARGUMENTS.items() for name in names.split()}
OTHER = {
    "erf": (lambda: ps.erf(GRID), lambda: special.erf(GRID)),
    "rsqrt": (lambda: ps.rsqrt(GRID**2 + 0.5), lambda: (GRID**2 + 0.5) ** -0.5),
    "expand_dims": (lambda: ps.expand_dims(GRID, axis=-2), lambda: GRID[:, None]),
    "one_hot": (
        lambda: ps.one_hot([2, 5], 3, dtype=np.float64),
        lambda: np.asarray([[0.0, 0, 1], [0, 0, 0]]),
    ),
    "astype": (lambda: ps.astype(GRID, "int32"), lambda: GRID.astype(np.int32)),
    "stop_gradient": (lambda: ps.stop_gradient(GRID), lambda: GRID),
    "sum of two axes": (lambda: ps.sum(GRID[None], axis=(0, -1)), lambda: GRID[None].sum((0, -1))),
    "mean, kept": (lambda: ps.mean(GRID, axis=[1], keepdims=True), lambda: GRID.mean(1, keepdims=True)),
    "argmax, kept": (lambda: ps.argmax(GRID, axis=-1, keepdims=True), lambda: GRID.argmax(-1, keepdims=True)),
    "concat, flattened": (lambda: ps.concat([GRID, 1.5], axis=None), lambda: np.append(GRID, 1.5)),
    "stack at the end": (lambda: ps.stack([GRID, GRID], axis=-1), lambda: np.stack([GRID, GRID], -1)),
    "flip one axis": (lambda: ps.flip(GRID, axis=1), lambda: GRID[:, ::-1]),
    "take of columns": (lambda: ps.take(GRID, [[2], [0]], axis=1), lambda: GRID[:, [[2], [0]]]),
    "clip from below": (lambda: ps.clip(GRID, min=0.0), lambda: np.maximum(GRID, 0)),
    "clip from above": (lambda: ps.clip(GRID, max=0.0), lambda: np.minimum(GRID, 0)),
    "dot": (lambda: ps.dot(GRID, GRID.T), lambda: np.dot(GRID, GRID.T)),
    "median": (lambda: ps.median(GRID), lambda: np.median(GRID)),
    "quantile": (lambda: ps.quantile(GRID, 0.3, axis=1), lambda: np.quantile(GRID, 0.3, axis=1)),
    "percentile": (lambda: ps.percentile(GRID, 30), lambda: np.percentile(GRID, 30)),
    "histogram": (lambda: ps.histogram(GRID, 3)[0], lambda: np.histogram(GRID, 3)[0]),
    "interp": (
        lambda: ps.interp(GRID, [0.0, 1.0], [2.0, 3.0]),
        lambda: np.interp(GRID, [0.0, 1.0], [2.0, 3.0]),
    ),
    "nan_to_num": (lambda: ps.nan_to_num(GRID * np.nan, nan=9.0), lambda: np.full(GRID.shape, 9.0)),
    "vector @ matrix": (lambda: ps.matmul(GRID[:, 0], GRID), lambda: GRID[:, 0] @ GRID),
    "matrix @ vector": (lambda: ps.matmul(GRID, GRID[0]), lambda: GRID @ GRID[0]),
    "vector @ vector": (lambda: ps.matmul(GRID[0], GRID[1]), lambda: GRID[0] @ GRID[1]),
    "list of tensors": (lambda: ps.asarray([ps.asarray(GRID), GRID]), lambda: np.stack([GRID, GRID])),
    "sigmoid": (lambda: nn.sigmoid(GRID * 50), lambda: special.expit(GRID * 50)),
    "softplus": (lambda: nn.softplus(GRID * 500), lambda: np.logaddexp(GRID * 500, 0)),
    "relu": (lambda: nn.relu(GRID), lambda: np.maximum(GRID, 0)),
    "relu6": (lambda: nn.relu6(GRID * 9), lambda: np.clip(GRID * 9, 0, 6)),
    "leaky_relu": (lambda: nn.leaky_relu(GRID, 0.2), lambda: np.where(GRID > 0, GRID, 0.2 * GRID)),
    "elu": (
        lambda: nn.elu(GRID * 900),
        lambda: np.where(GRID > 0, GRID * 900, np.expm1(np.minimum(GRID, 0) * 900)),
    ),
    "selu": (
        lambda: nn.selu(GRID),
        lambda: 1.0507009873554805 * np.where(GRID > 0, GRID, 1.6732632423543772 * np.expm1(GRID)),
    ),
    "silu": (lambda: nn.silu(GRID, beta=1.5), lambda: GRID * special.expit(1.5 * GRID)),
    "gelu": (lambda: nn.gelu(GRID, approximate=False), lambda: GRID * special.ndtr(GRID)),
    "softsign": (lambda: nn.softsign(GRID), lambda: GRID / (1 + abs(GRID))),
    "softmax": (lambda: nn.softmax(GRID * 500, axis=0), lambda: special.softmax(GRID * 500, 0)),
    "log_softmax": (lambda: nn.log_softmax(GRID * 500), lambda: special.log_softmax(GRID * 500, -1)),
    "logsumexp": (lambda: nn.logsumexp(GRID * 500, [0, 1]), lambda: special.logsumexp(GRID * 500)),
    "logsumexp, kept": (
        lambda: nn.logsumexp(GRID, axis=1, keepdims=True),
        lambda: special.logsumexp(GRID, 1, keepdims=True),
    ),
    "squared_error": (lambda: losses.squared_error(GRID, 1.0), lambda: (GRID - 1) ** 2),
    "einsum": (lambda: ps.einsum("ij,kj->ik", GRID, GRID), lambda: GRID @ GRID.T),
    "kron": (lambda: ps.kron(GRID, GRID[0]), lambda: np.kron(GRID, GRID[0])),
    "kron of nothing": (lambda: ps.kron(GRID[:0], GRID[0]), lambda: np.kron(GRID[:0], GRID[0])),
    "kron of numbers": (lambda: ps.kron(2.0, np.asarray(3.0)), lambda: np.kron(2.0, 3.0)),
    "cumulative_max": (lambda: ps.cumulative_max(GRID, axis=0), lambda: np.maximum.accumulate(GRID)),
    "cumulative_min": (lambda: ps.cumulative_min(GRID, axis=-1), lambda: np.minimum.accumulate(GRID, 1)),
    "cumulative_logsumexp": (
        lambda: ps.cumulative_logsumexp(GRID * 500, axis=1),
        lambda: np.logaddexp.accumulate(GRID * 500, 1),
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_function_is_numpys(name):
    got = getattr(ps, name)(*SAME[name])
    want = np.asarray(getattr(np, name)(*SAME[name]))
    if name in ("full", "zeros", "ones"):
        want = want.astype(np.float32)
    assert_close(got.numpy(), want, name)


@pytest.mark.parametrize("name", OTHER)
def test_function_is_as_spelled_out(name):
    ours, theirs = OTHER[name]
    assert_close(ours().numpy(), np.asarray(theirs()), name)


def test_every_function_is_tried():
    tried = {*SAME, *OTHER, "softmax_cross_entropy", "sigmoid_cross_entropy", *test_vocabulary.CASES}
    public = {
        name
        for module in (nn, losses)
        for name, thing in vars(module).items()
        if inspect.isfunction(thing) and thing.__module__ == module.__name__ and not name.startswith("_")
    }
    beside_the_standard = {name for name in array.__all__ if name not in specification.NAMES}
    assert public | {one for one in beside_the_standard if callable(getattr(array, one))} <= tried


def test_variables_and_numbers_are_operands(tier):
    x = ps.Variable(GRID)
    for name in ("exp", "sum", "argmax", "flip", "square", "squeeze"):
        assert_close(getattr(ps, name)(x).numpy(), np.asarray(getattr(np, name)(GRID)), name)
    assert ps.reshape(x, (-1,)).shape == (6,)
    assert ps.concat([x, x], axis=None).shape == (12,)
    assert float(ps.maximum(2, 3.0)) == 3.0
    assert nn.softmax(x).shape == (2, 3)


# -- edges --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [
        nn.leaky_relu,
        nn.relu6,
        nn.elu,
        nn.selu,
        nn.silu,
        nn.gelu,
        lambda x: nn.gelu(x, approximate=False),
        nn.softsign,
        nn.softmax,
        nn.log_softmax,
        nn.logsumexp,
        lambda x: nn.softmax(x, axis=0),
        lambda x: nn.logsumexp(x, axis=0, keepdims=True),
        lambda x: losses.squared_error(x, 0.7),
        lambda x: losses.sigmoid_cross_entropy(x, np.asarray([0.0, 0.3, 1.0])),
        lambda x: losses.softmax_cross_entropy(x, np.asarray([2, 0])),
        lambda x: losses.softmax_cross_entropy(x, np.asarray([[0.2, 0.8, 0.0], [0.5, 0.6, 0.7]])),
        lambda x: ps.clip(x, min=0.3),
        lambda x: ps.clip(x, max=0.3),
        lambda x: ps.kron(x, x[0]),
    ],
)
def test_functions_have_right_derivatives_of_two_orders(function):
    check_grads(function, GRID, order=2)


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (nn.relu, 0.0),
        (nn.relu6, 0.0),
        (lambda x: nn.leaky_relu(x, 0.25), 0.25),
        (nn.elu, 1.0),
        (nn.selu, 1.0507009873554805),
        (nn.softsign, 1.0),
        (nn.gelu, 0.5),
        (nn.silu, 0.5),
        (nn.softplus, 0.5),
        (nn.sigmoid, 0.25),
        (lambda x: ps.clip(x, min=0.0), 1.0),
        (lambda x: ps.clip(x, max=0.0), 1.0),
        (lambda x: ps.clip(x, 0.0, 1.0), 1.0),
        (lambda x: losses.sigmoid_cross_entropy(x, 1.0), -0.5),
        (lambda x: losses.sigmoid_cross_entropy(x, 0.0), 0.5),
        (lambda x: losses.squared_error(x, 0.0), 0.0),
    ],
)
def test_slope_at_zero(function, slope, tier):
    """All logits of a layer that starts at zero are here."""
    assert float(grad(function)(np.float64(0.0))) == pytest.approx(slope, abs=1e-15)


def test_cross_entropy_of_far_logits_stays_exact(tier):
    logits = np.asarray([-1000.0, -40.0, 40.0, 1000.0])
    for label in (0.0, 1.0):
        loss, slope = value_and_grad(lambda x, y=label: ps.sum(losses.sigmoid_cross_entropy(x, y)))(logits)
        assert_close(
            loss.numpy(), np.asarray(np.logaddexp(0, np.where(label, -logits, logits)).sum()), "loss"
        )
        assert_close(slope.numpy(), special.expit(logits) - label, "slope")
    small = losses.sigmoid_cross_entropy(np.float64(40.0), np.float64(1.0))
    assert float(small) == pytest.approx(np.exp(-40.0), rel=1e-12)


def test_classes_ruled_out_have_no_part_in_the_loss(tier):
    logits = np.asarray([[0.5, -np.inf, 1.0], [-np.inf, -np.inf, 3.0]])
    labels = np.asarray([0, 2])
    loss, slope = value_and_grad(lambda x: ps.sum(losses.softmax_cross_entropy(x, labels)))(logits)
    probabilities = special.softmax(logits, -1)
    assert_close(loss.numpy(), np.asarray(-np.log(probabilities[0, 0])), "loss")
    assert_close(slope.numpy(), probabilities - np.eye(3)[labels], "slope")


def test_logsumexp_of_infinities(tier):
    rows = np.asarray([[-np.inf, -np.inf], [np.inf, 0.0], [-np.inf, 2.0], [np.nan, 1.0]])
    assert_close(nn.logsumexp(rows, axis=1).numpy(), np.asarray([-np.inf, np.inf, 2.0, np.nan]), "logsumexp")


def weighted(function):
    """The sum of a function's result, each element times its index."""
    return lambda x: ps.sum(function(x) * ps.arange(1.0, len(x) + 1.0, dtype=x.dtype))


def test_of_equal_running_extremes_the_latest_has_the_gradient_and_nan_stays(tier):
    # The gradients are those of PyTorch and PaddlePaddle: a NaN takes the place of the one before it.
    gradients = {"max": [1.0, 2.0, 7.0, 0.0, 5.0, 13.0, 0.0], "min": [6.0, 0.0, 0.0, 15.0, 0.0, 0.0, 7.0]}
    ties, holes = [1.0, 2.0, 2.0, 1.0, 3.0, 3.0, 0.0], [1.0, np.nan, 5.0, np.nan, 2.0]
    for name, want in gradients.items():
        function = getattr(ps, f"cumulative_{name}")
        for x, slope in ((ties, want), (holes, [1.0, 5.0, 0.0, 9.0, 0.0])):
            running = getattr(np, f"{name}imum").accumulate(np.asarray(x))
            np.testing.assert_array_equal(function(ps.asarray(x)).numpy(), running)
            np.testing.assert_array_equal(ps.grad(weighted(function))(ps.asarray(x)).numpy(), slope)


def test_a_running_logsumexp_of_infinities_has_gradients_of_two_orders(tier):
    first = ps.grad(weighted(ps.cumulative_logsumexp))
    second = ps.grad(weighted(first))
    for x in ([-np.inf, -np.inf, 0.5, -np.inf, 1.0], [-np.inf, -np.inf]):
        x = np.asarray(x)
        got = [one(ps.asarray(x)).numpy() for one in (ps.cumulative_logsumexp, first, second)]
        np.testing.assert_allclose(got[0], np.logaddexp.accumulate(x))
        # Elements at -inf do not count: the others have the values that they have without them.
        there = np.isfinite(x)
        assert np.all(np.asarray(got[1:])[:, ~there] == 0.0)
        share = 1.0 / (1.0 + np.exp(-0.5))  # of the last among the two
        if there.any():
            np.testing.assert_allclose(got[1][there], [3.0 + 4.0 + 5.0 * (1 - share), 5.0 * share])
            np.testing.assert_allclose(
                got[2][there], np.asarray([3.0 - 5.0, 5.0 - 3.0]) * 5.0 * share * (1 - share)
            )


def test_labels_are_checked(tier):
    with pytest.raises(RangeError, match=r"cross-entropy labels: index 3 \(at position \[1\]\)|out of range"):
        losses.softmax_cross_entropy(GRID, np.asarray([0, 3])).numpy()
    with pytest.raises(ShapeError, match=r"labels \(3,\) do not fit logits \(2, 3\)"):
        losses.softmax_cross_entropy(GRID, np.asarray([0, 1, 2]))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ps.max(ps.zeros((0, 2)), axis=0), ShapeError, "max: an axis of shape (0, 2) is empty"),
        (lambda: ps.argmin(ps.zeros((2, 0)), axis=1), ShapeError, "argmin: an axis of shape (2, 0) is empty"),
        (lambda: ps.sum(GRID, axis=2), ShapeError, "sum: axis 2 is not among the 2 axes"),
        (lambda: ps.sum(GRID, axis=(0, -2)), ShapeError, "names the same axis of shape (2, 3) twice"),
        (lambda: ps.sum(1.0, axis=0), ShapeError, "A scalar has no axes"),
        (lambda: ps.reshape(GRID, (4, -1)), ShapeError, "(2, 3) does not fit (4, -1)"),
        (lambda: ps.reshape(GRID, (4,)), ShapeError, "has 6 elements, (4,) would have 4"),
        (lambda: ps.concat([]), ShapeError, "no arrays"),
        (lambda: ps.concat([GRID, GRID.T]), ShapeError, "part 1 has shape (2, 3), part 2 has (3, 2)"),
        (lambda: ps.matmul(GRID, GRID), ShapeError, "(2, 3) and (2, 3) do not fit together"),
        (lambda: ps.matmul(GRID, 2.0), ShapeError, "neither a matrix nor a vector"),
        (lambda: ps.take(GRID, [0]), ShapeError, "take needs an axis"),
        (lambda: ps.take(GRID, [0.5], axis=0), DTypeError, "they must be integers"),
        (lambda: ps.expand_dims(GRID, axis=4), ShapeError, "axis 4 is outside"),
        (lambda: ps.squeeze(GRID, axis=0), ShapeError, "axis 0 of shape (2, 3) has length 2"),
        (lambda: ps.permute_dims(GRID, (0, 0)), ShapeError, "not a permutation of the 2 axes"),
        (lambda: ps.broadcast_to(GRID, (2, 4)), ShapeError, "(2, 3) does not broadcast to (2, 4)"),
        (lambda: ps.exp(3), DTypeError, "exp takes floating-point operands"),
        (lambda: -ps.asarray([True]), DTypeError, "negative takes numeric operands; operand 1 is bool[1]"),
        (lambda: ps.asarray("abc"), DTypeError, "'abc' is not numeric data"),
        (lambda: nn.softmax(), TypeError, "softmax() missing 1 required positional argument: 'x'"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)


def test_integers_divided_by_zero_and_negative_powers(tier):
    a, b = ps.asarray([7, -7, 0, 2, -1]), ps.asarray([0, 0, 0, -1, -3])
    assert ps.floor_divide(a, b).numpy().tolist() == [0, 0, 0, -2, 0]
    assert ps.remainder(a, b).numpy().tolist() == [0, 0, 0, 0, -1]
    assert ps.pow(a, b).numpy().tolist() == [1, 1, 1, 0, -1]


def test_casts_take_the_nearest_integer_that_there_is(tier):
    x = ps.asarray([np.nan, np.inf, -np.inf, 1e20, -1e20, -1.7, 300.0])
    assert ps.astype(x, "uint8").numpy().tolist() == [0, 255, 0, 255, 0, 0, 255]
    limits = np.iinfo(np.int64)
    assert ps.astype(x, "int64").numpy().tolist() == [0, *(limits.max, limits.min) * 2, -1, 300]


def test_narrow_sums_do_not_stall(tier):
    ones = ps.ones((1000,), dtype=np.float16)
    import ml_dtypes

    for dtype in (np.float16, ml_dtypes.bfloat16):
        many = ps.astype(ones, dtype)
        assert (ps.sum(many).dtype, float(ps.sum(many)), float(ps.mean(many))) == (
            np.dtype(dtype),
            1000.0,
            1.0,
        )


def test_the_last_of_rows_with_one_index_is_kept_and_gets_the_gradient(tier):
    from penstock.ops.index import set_rows

    x, rows = ps.zeros((3, 1)), ps.asarray([[1.0], [2.0], [3.0]])
    with ps.GradientTape() as tape:
        tape.watch(x, rows)
        y = set_rows(x, ps.asarray([1, 1, 2]), rows)
    assert y.numpy().tolist() == [[0], [2], [3]]
    by_x, by_rows = tape.gradient(y, [x, rows])
    assert by_x.numpy().tolist() == [[1], [0], [0]]
    assert by_rows.numpy().tolist() == [[0], [1], [1]]


@pytest.mark.xla
def test_accelerators_keep_the_last_of_rows_too(monkeypatch):
    """There XLA writes rows in any order: the program for them is run here, on rows in random order."""
    import jax

    from penstock.ops.index import set_rows

    def elsewhere(*operands, cpu, default):
        return default(*operands)

    monkeypatch.setattr(jax.lax, "platform_dependent", elsewhere)
    rng = np.random.default_rng(0)
    for count in (0, 1, 2, 50):
        x = rng.standard_normal((7, 3)).astype(np.float32)
        indices, rows = rng.integers(0, 7, count), rng.standard_normal((count, 3)).astype(np.float32)
        wanted = x.copy()
        wanted[indices] = rows
        made = jax.jit(lambda *operands: set_rows.xla(jax, *operands))
        assert np.array_equal(made(x, indices, rows), wanted), count


def test_a_gradient_alone_refuses_indices_out_of_range(tier):
    table = ps.Variable(np.ones((3, 2)))
    with ps.GradientTape() as tape:
        picked = ps.sum(ps.take(table, ps.asarray([-4, 0]), axis=0) * 2.0)
    gradient = tape.gradient(picked, table)
    del picked
    with pytest.raises(RangeError):
        gradient.numpy()


def test_a_guarded_root_has_the_gradient_zero(tier):
    x = ps.asarray([-1.0, 0.0, 4.0])
    slope = grad(lambda x: ps.sum(ps.where(x > 0, ps.sqrt(x), 0.0)))(x)
    assert slope.numpy().tolist() == [0.0, 0.0, 0.25]
    # Where nothing happens to arrive, as at 4 here, the second derivative is not lost.
    curvature = grad(grad(lambda x: ps.square(ps.sqrt(x) - 2.0)))
    assert float(curvature(4.0)) == 0.125


# -- indexing -----------------------------------------------------------------------------------------------

CUBE = np.arange(24.0).reshape(2, 3, 4)


@given(arrays.basic_indices(CUBE.shape, allow_newaxis=True, allow_ellipsis=True))
def test_basic_indexing_is_numpys(key):
    with use_engine("numpy"):
        got = ps.asarray(CUBE)[key]
        assert got.shape == CUBE[key].shape
        assert np.array_equal(got.numpy(), CUBE[key])
        counts = grad(lambda x: ps.sum(x[key]))(CUBE)
        want = np.zeros(CUBE.shape)
        want[key] = 1
        assert np.array_equal(np.zeros(CUBE.shape) if counts is None else counts, want)


@pytest.mark.parametrize(
    "key",
    [
        np.s_[5:2],
        np.s_[::-1],
        np.s_[2:5:-1],
        np.s_[0:0:-2, ...],
        np.s_[..., 3:0:-2],
        np.s_[[1, -1, 0]],
        np.s_[:, [2, -3]],
        np.s_[..., np.asarray([[0, -1]])],
        np.s_[1, [0, 2]],
        np.s_[[1, 0], 2],
        np.s_[[1, 0], ..., 2],
        np.s_[np.asarray(-1)],
        np.s_[None, :, [0], ::2],
        np.s_[np.int64(1), -1:],
        np.s_[[0, 1], [1, 2]],
        np.s_[0, :, [1, 2]],
        np.s_[[0, 1], :, [1, -1]],
        np.s_[:, [0, 1], [[1], [2]]],
        np.s_[:, None, [0, 1], 1],
        np.s_[[1], None, 0],
        np.s_[0, [[1, 2]], [3]],
        np.s_[[], 1],
        CUBE > 3,
        np.s_[:, [True, False, True]],
        np.s_[..., [True, False, True, True], None],
        np.s_[[True, False], :, [1]],
        np.s_[CUBE[:, :, 0] > 5, ::2],
        np.s_[True],
        np.s_[False, 1],
        np.s_[:, np.asarray(True)],
    ],
)
def test_indexing_is_numpys_in_both_tiers(key, tier):
    assert np.array_equal(ps.asarray(CUBE)[key].numpy(), CUBE[key])
    assert np.array_equal(ps.Variable(CUBE)[key].numpy(), CUBE[key])
    assert np.array_equal(grad(lambda x: ps.sum(x[key] * x[key]))(CUBE), 2 * CUBE * counted(key))


def counted(key):
    counts = np.zeros(CUBE.shape)
    np.add.at(counts, key, 1)
    return counts


@pytest.mark.parametrize(
    ("key", "error", "words"),
    [
        (2, RangeError, "Index 2 is out of range for axis 0"),
        (np.s_[0, :, -5], RangeError, "Index -5 is out of range for axis 2"),
        (np.s_[0, 0, 0, 0], RangeError, "4 indices were given for a value of shape (2, 3, 4)"),
        (np.s_[..., 0, ...], PenstockError, "only one ellipsis"),
        ("a", DTypeError, "str 'a'"),
        (CUBE.T > 3, RangeError, "A mask has shape (4, 3, 2); the axes it covers have (2, 3, 4)"),
        (np.s_[:, [True, False]], RangeError, "A mask has shape (2,); the axes it covers have (3,)"),
        (np.s_[[0, 1], [1, -4]], RangeError, "Index -4 is out of range for axis 1"),
        (np.s_[[[0, 2]]], RangeError, "Index 2 is out of range for axis 0"),
        (np.s_[:, [1, 2], :, 0], RangeError, "4 indices"),
        (np.s_[[0.5]], DTypeError, "An index is float32[1]"),
    ],
)
def test_indices_that_mean_something_else_are_refused(key, error, words):
    with pytest.raises(error) as caught:
        ps.asarray(CUBE)[key]
    assert words in str(caught.value)


def test_an_index_out_of_range_is_found_when_it_is_looked_at(tier):
    with pytest.raises(RangeError):
        ps.asarray(CUBE)[ps.asarray([0, 2])].numpy()


# -- functions composed of primitives -----------------------------------------------------------------------


def test_a_composite_is_one_event_and_is_expanded_once():
    expansions = []

    @composite(2)
    def scaled(x, y, factor=2.0):
        expansions.append(factor)
        return x * y * factor

    for _ in range(3):
        before = local.trace.node
        result = scaled(GRID, 1.5)
        assert result.dtype == np.float64
        entered = [node for node in local.trace.node.path() if node.depth > before.depth]
        assert [node.event.kind for node in entered] == ["enter", "enter", "operation"]
        assert np.array_equal(result.numpy(), GRID * 1.5 * 2)
    assert expansions == [2.0]
    assert np.array_equal(scaled(y=GRID, x=2.0, factor=3.0), 2 * GRID * 3)
    assert np.array_equal(scaled(2.0, y=GRID, factor=3.0), 2 * GRID * 3)


def test_a_number_among_the_operands_takes_their_dtype():
    for dtype in (np.float16, np.float32, np.float64):
        assert losses.squared_error(GRID.astype(dtype), 1.0).dtype == dtype
        assert losses.squared_error(1.0, GRID.astype(dtype)).dtype == dtype
        assert losses.squared_error(GRID.astype(dtype), 1).dtype == dtype


def test_a_composite_may_return_several(tier):
    @composite(1)
    def halves(x):
        return x * 0.5, pointwise.exp(x)

    with ps.GradientTape() as tape:
        x = ps.asarray(GRID)
        tape.watch(x)
        one, two = halves(x)
    assert_close(tape.gradient([one, two], x).numpy(), 0.5 + np.exp(GRID), "gradient")


# -- grad and value_and_grad --------------------------------------------------------------------------------


def test_gradients_of_all_orders(tier):
    def f(x):
        return x * x * x * x

    for order, want in enumerate((32.0, 48.0, 48.0, 24.0), 1):
        g = f
        for _ in range(order):
            g = grad(g)
        assert float(g(2.0)) == want


def test_structures_keep_their_form(tier):
    def loss(parameters, x, *, power):
        hidden = ps.tanh(ps.matmul(x, parameters["w"]) + parameters["b"][0])
        return ps.sum(hidden**power) * parameters["b"][1]

    given = {"w": GRID.T.copy(), "b": [0.5, np.float64(2.0)], "unused": (1.5, None)}
    value, gradient = value_and_grad(loss)(given, GRID, power=2)
    assert set(gradient) == set(given)
    assert isinstance(gradient["b"], list)
    assert gradient["unused"] == (None, None)
    check_grads(lambda w, b, c: loss({"w": w, "b": [b, c]}, ps.asarray(GRID), power=2), GRID.T, 0.5, 2.0)
    hidden = np.tanh(GRID @ GRID.T + 0.5)
    assert_close(value.numpy(), np.asarray((hidden**2).sum() * 2.0), "value")
    assert_close(gradient["b"][1].numpy(), np.asarray((hidden**2).sum()), "gradient by a number")
    assert_close(gradient["w"].numpy(), GRID.T @ (4 * hidden * (1 - hidden**2)), "gradient by the weights")


def test_one_value_given_twice_counts_as_two(tier):
    for x in (ps.asarray(3.0), ps.Variable(3.0), ps.Variable(3.0, trainable=False), 3.0):
        by_first, by_second = grad(lambda a, b: a * a * b, argnums=(0, 1))(x, x)
        assert (float(by_first), float(by_second)) == (18.0, 9.0)


def test_argnums_choose_and_the_rest_are_constant(tier):
    f = value_and_grad(lambda a, b, c: a * b + c, argnums=[-1, 1])
    value, gradients = f(2.0, 3.0, 4.0)
    assert float(value) == 10.0
    assert [float(one) for one in gradients] == [1.0, 2.0]


def test_unused_arguments_have_no_gradient():
    by_a, by_b, by_c = grad(lambda a, b, c: a + ps.stop_gradient(b), argnums=(0, 1, 2))(1.0, 2.0, 3.0)
    assert float(by_a) == 1.0
    assert by_b is None
    assert by_c is None


def test_auxiliary_results_come_along(tier):
    def f(x):
        return ps.sum(x), {"twice": x * 2.0, "name": "kept"}

    (value, aux), gradient = value_and_grad(f, has_aux=True)(np.asarray([1.0, 2.0]))
    assert float(value) == 3.0
    assert aux["twice"].numpy().tolist() == [2.0, 4.0]
    assert aux["name"] == "kept"
    assert gradient.numpy().tolist() == [1.0, 1.0]


def test_variables_may_be_written_inside_and_give_rows(tier):
    table, count = ps.Variable(np.ones((5, 2))), ps.Variable(0.0)

    def loss(table):
        count.assign_add(1.0)
        return ps.sum(ps.take(table, ps.asarray([3, 3]), axis=0))

    gradient = grad(loss)(table)
    assert isinstance(gradient, Rows)
    assert gradient.numpy().sum() == 4.0
    assert float(count) == 1.0


def test_functions_of_gradients_run_on_both_tiers_without_recompiling():
    def step(w, x, rate):
        slope = grad(lambda w: ps.mean(ps.square(ps.matmul(x, w) - 1.0)))(w)
        return w - slope * rate

    check_tiers(
        step, lambda rng: (rng.standard_normal((3, 1)), rng.standard_normal((4, 3)), float(rng.random()))
    )


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: grad(lambda x: ps.exp(x))(GRID),
            ShapeError,
            "returned float64[2, 3]; only a scalar has a gradient",
        ),
        (lambda: grad(lambda x: 3.0)(1.0), PenstockError, "returned float 3.0, which is not a tensor"),
        (lambda: grad(lambda x: x)(3), DTypeError, "by int64[] was asked for"),
        (lambda: grad(lambda x: x["a"])({"a": [1, 2]}), DTypeError, "by int64[] was asked for"),
        (lambda: grad(lambda x: x)("abc"), DTypeError, "'abc' is not numeric data"),
        (lambda: grad(lambda x: x, argnums=1)(3.0), PenstockError, "argnums names argument 1"),
        (lambda: grad(lambda x: x)(x=3.0), PenstockError, "was given 0 by position"),
        (
            lambda: value_and_grad(lambda x: x, has_aux=True)(3.0),
            PenstockError,
            "returned Tensor, with has_aux=True",
        ),
    ],
)
def test_requests_without_an_answer_are_refused(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)
    assert "test_functions.py" in str(caught.value)
    assert not local.trace.taping


def test_an_exception_inside_leaves_no_tape_open():
    def fails(x):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        grad(grad(fails))(1.0)
    assert not local.trace.taping


def test_a_sigmoid_keeps_its_digits_near_one(tier):
    near = np.asarray([14.0, 15.0, 15.5, 16.1, 16.5, 16.63, 16.65, 17.0, 90.0], np.float32)
    missing = {nn.sigmoid: [14, 5, 3, 2, 1, 1, 0, 0, 0], pointwise.logistic: [14, 6, 4, 2, 2, 2, 0, 0, 0]}
    for function, units in missing.items():
        assert ((1.0 - function(ps.asarray(near)).numpy()) * 2.0**24).tolist() == units, function
    ends = ps.asarray([np.inf, -np.inf, np.nan, -1000.0])
    np.testing.assert_array_equal(nn.sigmoid(ends).numpy(), np.asarray([1.0, 0.0, np.nan, 0.0], np.float32))
