"""Sums and extremes on the processor are computed in phases: no long loop, none far through memory."""

import re

import numpy as np
import pytest

import penstock as ps
from penstock.ops import phases
from penstock.testing import use_engine
from penstock.tiers import libraries

jax = pytest.importorskip("jax")


def shapes():
    """Every choice of axes for shapes with all kinds of lengths: primes, powers of two, 1, long, zero."""
    rng = np.random.default_rng(0)
    large = [(32, 32, 64), (7, 1, 641), (31, 37, 5), (2, 3, 4, 257), (9000,), (3, 8209), (8209, 3)]
    for shape in [*large, (64, 2, 40, 1), (1, 4999), (127, 43), (16, 16, 16, 2), (0, 5), (5, 1000, 0)]:
        yield shape, tuple(range(len(shape)))
        for _ in range(4):
            count = rng.integers(0, len(shape) + 1)
            yield shape, tuple(sorted(map(int, rng.choice(len(shape), count, replace=False))))


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min"])
def test_phases_give_what_numpy_gives(name, keepdims):
    rng = np.random.default_rng(1)
    for dtype in (np.float32, np.float64):
        cases = [one for one in shapes() if np.prod(one[0]) or name == "sum"]
        values = [rng.standard_normal(shape).astype(dtype) for shape, _ in cases]
        with use_engine("xla"):
            # Looked at in the end, so that all of them are one program.
            handles = [
                getattr(ps, name)(ps.asarray(x), axis=axes, keepdims=keepdims)
                for x, (_, axes) in zip(values, cases)
            ]
            results = [one.numpy() for one in handles]
        for x, (shape, axes), found in zip(values, cases, results):
            wanted = getattr(np, name)(x.astype(np.float64), axis=axes, keepdims=keepdims)
            assert found.shape == wanted.shape and found.dtype == dtype, (shape, axes)
            scale = np.sum(np.abs(x), axis=axes, keepdims=keepdims) if name == "sum" else 1.0
            error = np.abs(found - wanted)
            assert np.all(error <= np.finfo(dtype).eps * 8 * (scale + 1)), (name, shape, axes, error.max())


@pytest.mark.parametrize("edge", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min"])
def test_non_finite_values_stay_in_their_own_column(name, edge):
    x = np.ones((97, 64), np.float32)
    x[50, 3] = edge
    for axes in (0, 1):
        data = x if axes == 0 else np.ascontiguousarray(x.T)
        with use_engine("xla"):
            found = getattr(ps, name)(ps.asarray(data), axis=axes).numpy()
        with np.errstate(invalid="ignore"):
            np.testing.assert_allclose(found, getattr(np, name)(data, axis=axes), rtol=1e-6)


def test_a_long_sum_keeps_its_digits():
    x = np.random.default_rng(0).random((1 << 22) + 5).astype(np.float32)
    wanted = np.sum(x, dtype=np.float64)
    with use_engine("xla"):
        assert abs(float(ps.sum(ps.asarray(x))) - wanted) <= 1e-6 * wanted
        column = float(ps.sum(ps.asarray(x[:, None]), axis=0)[0])
    assert abs(column - wanted) <= 1e-6 * wanted


@pytest.mark.parametrize(
    "shape", [(8, 64, 64, 64), (64, 28, 28, 32), (512, 1024), (3, 61, 67, 7), (1, 5, 999)]
)
def test_a_sum_of_all_elements_keeps_its_digits_however_many_axes_there_are(shape):
    """XLA merges the loops of the phases again where it can: 2 million squares then keep three digits."""
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    wanted = np.mean(np.square(x, dtype=np.float64))
    rows = np.mean(np.square(x, dtype=np.float64), axis=tuple(range(1, len(shape))))
    with use_engine("xla"):
        squares = ps.square(ps.asarray(x))
        every = ps.mean(squares).numpy()
        kept = ps.mean(squares, axis=tuple(range(1, len(shape)))).numpy()
    np.testing.assert_allclose(every, wanted, rtol=3e-7)
    np.testing.assert_allclose(kept, rows, rtol=3e-7)


@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((512, 28, 28), (1, 2)),
        ((64, 32, 28, 28), (0, 2, 3)),
        ((32, 64, 32, 32), (2, 3)),
        ((512, 7, 7, 32), (1, 2, 3)),
        ((8000, 9, 9), (1, 2)),
        ((8000, 49), (1,)),
        ((6000, 64), (1,)),
    ],
)
def test_the_sum_of_a_short_row_keeps_its_digits_whatever_axes_it_has(shape, axes):
    """XLA would add most of these one element after another; the positions of an image lose a digit then."""
    x = np.random.default_rng(0).random(shape).astype(np.float32)
    wanted = np.sum(np.square(x, dtype=np.float64), axis=axes)
    with use_engine("xla"):
        found = ps.sum(ps.square(ps.asarray(x)), axis=axes).numpy()
    np.testing.assert_allclose(found, wanted, rtol=6e-7)


@pytest.mark.parametrize("axes", [(0, 2, 3), (0,), (2, 3), (1, 3), (0, 1, 2, 3), (1,), ()])
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 3, 1, 2), (3, 1, 0, 2), (2, 0, 1, 3)])
def test_sums_by_numpy_are_as_exact_wherever_their_elements_are(order, axes):
    for shape in ((8, 31, 17, 6), (3, 4, 700, 5), (1, 5, 1, 2000)):
        x = np.random.default_rng(0).random(shape).astype(np.float32).transpose(order)
        for keepdims in (False, True):
            wanted = np.sum(x, axis=axes, keepdims=keepdims, dtype=np.float64)
            found = phases.added(x, axes, keepdims)
            assert found.shape == wanted.shape
            np.testing.assert_allclose(found, wanted, rtol=6e-7)


@pytest.mark.parametrize(("shape", "axes"), [((1 << 19, 4), (0,)), ((64, 32, 32, 8), (0, 1, 2))])
def test_the_sum_of_many_rows_is_as_exact_in_numpy_as_in_xla(shape, axes):
    """In a forward pass, and in the gradient of a bias. One long addition leaves four or five digits."""
    x = np.random.default_rng(0).random(shape).astype(np.float32)
    wanted = np.sum(x, axis=axes, dtype=np.float64)
    bias = ps.Variable(np.zeros(shape[-1:], np.float32))
    for tier in ("numpy", "xla"):
        with use_engine(tier):
            with ps.GradientTape() as tape:
                loss = ps.sum((ps.asarray(x) + bias) * ps.asarray(x))
            found = tape.gradient(loss, bias).numpy()
            total = ps.sum(ps.asarray(x), axis=axes).numpy()
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
        np.testing.assert_allclose(total, wanted, rtol=1e-6)


def test_numpy_adds_a_few_thousand_rows_in_their_order():
    """As PaddlePaddle does with those of a bias's gradient, to the same bits."""
    x = np.random.default_rng(0).random((phases.IN_ORDER, 8)).astype(np.float32)
    total = np.zeros(8, np.float32)
    for row in x:
        total += row
    with use_engine("numpy"):
        assert (ps.sum(ps.asarray(x), axis=0).numpy() == total).all()


def test_a_variance_keeps_its_digits_where_channels_are_adjacent_in_memory():
    x = np.maximum(np.random.default_rng(0).standard_normal((4, 32, 24, 4)), 0.0).astype(np.float32)
    images = ps.asarray(x.transpose(0, 3, 1, 2))
    with use_engine("numpy"):
        variance = ps.var(images, axis=(0, 2, 3)).numpy()
        mean = ps.mean(images, axis=(0, 2, 3)).numpy()
    np.testing.assert_allclose(variance, x.astype(np.float64).var((0, 1, 2)), rtol=1e-6)
    np.testing.assert_allclose(mean, x.astype(np.float64).mean((0, 1, 2)), rtol=5e-7)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("shape", [(70_000,), (70_000, 2), (2, 35_000, 2)])
def test_halves_are_added_up_in_float32(dtype, shape):
    """More of them than float16 can count, and in bfloat16 more than its 256 steps between powers of two."""
    with use_engine("numpy"):
        ones = ps.ones(shape, dtype=dtype)
        axes = tuple(range(len(shape) - 1)) or None
        assert (np.asarray(ps.mean(ones, axis=axes).numpy(), np.float64) == 1.0).all()
        total = ps.sum(ones * 0.5, axis=axes).numpy().astype(np.float64)
        np.testing.assert_allclose(total, 35_000.0, rtol=4e-3)


def loops(function, shape):
    """How many elements each reduction of a function combines, and whether they are in different rows."""
    found = []
    for equation in jax.make_jaxpr(function)(jax.ShapeDtypeStruct(shape, np.float32)).eqns:
        own = equation.invars[0].aval.shape
        if equation.primitive.name in ("reduce_sum", "reduce_max"):
            axes = equation.params["axes"]
            found.append((int(np.prod([own[i] for i in axes])), max(axes) < len(own) - 1))
        elif equation.primitive.name.startswith("reduce_window"):
            window = equation.params["window_dimensions"]
            found.append((int(np.prod(window)), window[-1] == 1))
    return found


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize(
    "shape", [(32, 32, 32, 64), (8, 128, 256), (100, 28, 28, 48), (1 << 17, 16), (4001, 5)]
)
def test_no_loop_goes_far_through_memory(shape):
    axes = tuple(range(len(shape) - 1))
    made = loops(lambda x: phases.summed(jax, x, axes, False), shape)
    assert made and all(length <= phases.NEAR and apart for length, apart in made)


@pytest.mark.usefixtures("processor")
def test_no_loop_along_a_row_is_long():
    for shape in [(1 << 20,), (3, 100_003), (64, 32, 32, 3)]:
        every = tuple(range(len(shape)))
        made = loops(lambda x, every=every: phases.summed(jax, x, every, False), shape)
        assert made and all(length <= phases.ROW and not apart for length, apart in made)


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("reduce", ["sum", "max"])
@pytest.mark.parametrize(
    ("shape", "axes"), [((512, 28, 28), (1, 2)), ((64, 32, 24, 30), (0, 2, 3)), ((512, 7, 7, 32), (1, 2, 3))]
)
def test_one_loop_along_a_row_combines_the_elements_of_several_axes(reduce, shape, axes):
    """In a loop for each axis XLA uses no vector instructions: it took up to twenty times as long."""

    def row(x):
        if reduce == "sum":
            return phases.summed(jax, x * x, axes, False)
        return phases.extreme(jax, "max", x * x, tuple(i for i in axes if i), False)

    made = jax.jit(row).lower(jax.ShapeDtypeStruct(shape, np.float32))
    text = made.compile(compiler_options={libraries.PASSES: libraries.SUMS}).as_text()
    found = [one.split("}")[0] for one in re.findall(r" reduce\(.*dimensions=\{([^}]*)\}", text)]
    assert found and all("," not in one for one in found)


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("length", [17, 31, 49, 64, 72])
def test_a_loop_that_xla_writes_out_is_short(length):
    made = loops(lambda x: phases.summed(jax, x, (1,), False), (8000, length))
    assert made and all(count <= phases.UNROLLED // 2**phases.FOLDS for count, _ in made)


def test_a_sum_over_rows_computes_nothing_again():
    """A gradient that passes a chain of blocks, with a column sum at each, is computed once."""

    def chain(x, blocks):
        sums = []
        for _ in range(blocks):
            x = x * 1.5 + x * x
            sums.append(phases.summed(jax, x, (0, 1), False))
        return sums

    def operations(blocks):
        given = jax.ShapeDtypeStruct((8, 64, 64), np.float32)
        made = jax.jit(lambda x: chain(x, blocks)).lower(given)
        made = made.compile(compiler_options={libraries.PASSES: libraries.SUMS})
        return made.as_text().count(" multiply(")

    assert operations(8) <= 2 * operations(4) + 2
