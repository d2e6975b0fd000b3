"""Convolution and pooling against TensorFlow's numbers, their arguments, and their errors."""

import json
from pathlib import Path

import numpy as np
import pytest

import penstock as ps
from penstock.errors import PenstockError, ShapeError
from penstock.testing import assert_close, check_grads, check_tiers, use_engine

RECORD = json.loads((Path(__file__).parent / "oracles" / "convolutions.json").read_text(encoding="utf-8"))
CASES = [pytest.param(case, id=f"{case['function']}-{number}") for number, case in enumerate(RECORD["cases"])]


def drawn(shape, seed):
    """The operands of the record: see tools/record/convolutions.py."""
    count = np.arange(np.prod(shape), dtype=np.int64)
    return (((count * 97 + seed * 41) % 251 - 125) / 16).reshape(shape)


def called(case, operands, **more):
    options = {k: tuple(v) if isinstance(v, list) else v for k, v in case["options"].items()}
    return getattr(ps.nn, case["function"])(*operands, **options, **more)


@pytest.mark.parametrize("engine", ["numpy", "xla"])
@pytest.mark.parametrize("case", CASES)
def test_values_and_gradients_are_those_of_tensorflow(case, engine):
    operands = [ps.asarray(drawn(shape, number)) for number, shape in enumerate(case["shapes"])]
    with use_engine(engine):
        with ps.GradientTape() as tape:
            tape.watch(*operands)
            result = called(case, operands)
            weights = np.arange(result.size).reshape(result.shape) % 7
            total = ps.sum(result * weights.astype(np.float64))
        assert list(result.shape) == case["shape"]
        assert np.allclose(result.numpy().ravel(), case["result"], rtol=1e-12, atol=1e-10)
        for found, wanted in zip(tape.gradient(total, operands), case["gradients"], strict=True):
            assert np.allclose(found.numpy().ravel(), wanted, rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize("case", CASES)
def test_channels_first_is_the_same_turned_round(case):
    operands = [drawn(shape, number) for number, shape in enumerate(case["shapes"])]
    turned = [np.moveaxis(operands[0], -1, 1), *operands[1:]]
    result = called(case, turned, data_format="channels_first").numpy()
    assert np.allclose(np.moveaxis(result, 1, -1).ravel(), case["result"], rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize("padding", [1, (2, 0), ((1, 2), (0, 1))])
def test_explicit_padding_is_zeros_put_round_the_input(padding):
    x, kernel = drawn((2, 4, 5, 3), 0), drawn((3, 2, 3, 2), 1)
    pairs = (
        np.broadcast_to(padding, (2, 2)) if np.ndim(padding) != 1 else np.asarray(padding)[:, None] + [0, 0]
    )
    wide = np.pad(x, [(0, 0), *map(tuple, pairs), (0, 0)])
    assert np.allclose(ps.nn.conv(x, kernel, padding=padding).numpy(), ps.nn.conv(wide, kernel).numpy())


def test_average_pool_counts_padding_where_asked():
    x = ps.reshape(ps.asarray([1.0, 3.0, 2.0]), (1, 3, 1))
    assert ps.nn.average_pool(x, 2, padding=(1,)).numpy().ravel().tolist() == [1.0, 2.5]
    assert ps.nn.average_pool(x, 2, padding=(1,), count_padding=True).numpy().ravel().tolist() == [0.5, 2.5]


def test_the_first_of_equal_elements_has_the_slope_of_max_pool(tier):
    x = ps.asarray(np.zeros((1, 2, 2, 1)))
    with ps.GradientTape() as tape:
        tape.watch(x)
        y = ps.nn.max_pool(x, 2)
    assert tape.gradient(y, x).numpy().ravel().tolist() == [1.0, 0.0, 0.0, 0.0]


def test_transposed_convolution_is_the_gradient_of_the_convolution():
    x, kernel = ps.asarray(drawn((2, 8, 6, 3), 0)), drawn((3, 2, 3, 4), 1)
    with ps.GradientTape() as tape:
        tape.watch(x)
        y = ps.nn.conv(x, kernel, strides=(3, 2))
    ct = drawn(y.shape, 2)
    wanted = tape.gradient(y, x, output_gradients=ps.asarray(ct)).numpy()
    found = ps.nn.conv_transpose(ct, kernel, strides=(3, 2), output_lengths=(8, 6)).numpy()
    assert np.allclose(found, wanted, rtol=1e-13)


@pytest.mark.parametrize("output_padding", [0, 1, 2])
def test_output_padding_lengthens_the_result(output_padding):
    x, kernel = drawn((1, 4, 2), 0), drawn((3, 1, 2), 1)
    valid = ps.nn.conv_transpose(x, kernel, strides=3, output_padding=output_padding)
    assert valid.shape == (1, 3 * 3 + 3 + output_padding, 1)
    same = ps.nn.conv_transpose(x, kernel, strides=3, padding="same", output_padding=output_padding)
    assert same.shape == (1, 3 * 3 + 1 + output_padding, 1)


def test_derivatives_of_all_orders_against_differences():
    x, kernel = drawn((1, 4, 4, 2), 0) / 8, drawn((2, 2, 2, 2), 1) / 8
    check_grads(lambda a, b: ps.tanh(ps.nn.conv(a, b, padding="same")), x, kernel, order=2)
    check_grads(lambda a: ps.tanh(ps.nn.average_pool(a, 3, 1, padding="same")), x, order=2)
    check_grads(lambda a: ps.tanh(ps.nn.max_pool(a, 2)), x, order=2)


def test_tiers_agree_on_a_small_network():
    def network(x, first, second):
        y = ps.nn.max_pool(ps.nn.relu(ps.nn.conv(x, first, padding="same")), 2)
        return ps.nn.average_pool(ps.nn.conv_transpose(y, second, strides=2), 2)

    def draw(rng):
        return [rng.standard_normal(s).astype(np.float32) for s in ((2, 6, 6, 2), (3, 3, 2, 4), (2, 2, 3, 4))]

    check_tiers(network, draw)


def test_a_large_batch_is_unfolded_in_parts(monkeypatch):
    from penstock.ops import window

    x, kernel = drawn((7, 6, 6, 2), 0), drawn((3, 3, 2, 3), 1)
    with use_engine("numpy"):
        whole = ps.nn.conv(x, kernel).numpy()
        monkeypatch.setattr(window, "CHUNK", 700)
        assert np.array_equal(ps.nn.conv(x, kernel).numpy(), whole)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_each_channel_with_its_own_group_is_convolved_alone(dtype):
    # Few places of a large kernel, and many of a small one. XLA's own way spreads a NaN over all channels.
    operands = [
        drawn(shape, seed) / 8 for seed, shape in enumerate([(2, 9, 9, 3), (2, 3, 3, 2), (8, 9, 3, 1)])
    ]
    operands[0][0, 0, 0, 1] = np.nan
    found = []
    for engine in ("numpy", "xla"):
        with use_engine(engine), ps.GradientTape() as tape:
            x, small, large = [ps.astype(one, dtype) for one in operands]
            tape.watch(x)
            several = [ps.nn.depthwise_conv(x, small, padding="same"), ps.nn.depthwise_conv(x, large)]
            found.append([one.numpy() for one in (*several, tape.gradient(several, x))])
    for got, want in zip(*found, strict=True):
        assert_close(got, want, dtype)
    assert np.isnan(found[1][1]).any((0, 1, 2)).tolist() == [False, True, False]


X, KERNEL = np.zeros((2, 5, 5, 3), np.float32), np.zeros((3, 3, 3, 4), np.float32)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ps.nn.conv(X[0, 0], KERNEL), "the input has shape (5, 3)"),
        (lambda: ps.nn.conv(X, KERNEL[0]), "the kernel has shape (3, 3, 4)"),
        (lambda: ps.nn.conv(X, KERNEL[:, :, :2]), "3 channels"),
        (lambda: ps.nn.conv(X, KERNEL, strides=0), "strides is 0"),
        (lambda: ps.nn.conv(X, KERNEL, strides=(1, 2, 3)), "strides is (1, 2, 3)"),
        (lambda: ps.nn.conv(X, KERNEL, strides=1.5), "strides is 1.5"),
        (lambda: ps.nn.conv(X, KERNEL, padding="full"), "padding is 'full'"),
        (lambda: ps.nn.conv(X, KERNEL, dilation_rate=3), "a window of 7 does not fit an axis of 5"),
        (lambda: ps.nn.conv_transpose(X, KERNEL), "conv_transpose: the kernel has shape"),
        (lambda: ps.nn.conv_transpose(X, KERNEL.swapaxes(2, 3), padding=2), "conv_transpose: padding is 2"),
        (lambda: ps.nn.depthwise_conv(X, KERNEL[:, :, :2]), "depthwise_conv: the kernel has shape"),
        (lambda: ps.nn.max_pool(X, 6), "a window of 6 does not fit an axis of 5"),
        (lambda: ps.nn.average_pool(X, 2, padding=((0, 2), (0, 0))), "as long as the window"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_with_their_shapes(call, words):
    with pytest.raises(ShapeError) as caught:
        call()
    assert words in str(caught.value)
    assert caught.value.site.file == __file__


def test_an_unknown_data_format_is_refused():
    with pytest.raises(PenstockError, match="data_format is 'NHWC'"):
        ps.nn.conv(X, KERNEL, data_format="NHWC")


@pytest.mark.usefixtures("processor")
def test_inputs_of_a_kernels_gradient_are_computed_once():
    """The activations are stored before they are transposed: XLA would compute them again in that order."""
    jax = pytest.importorskip("jax")
    from penstock.ops.stored import stored
    from penstock.tiers.xla import lowering

    large, small = (jax.ShapeDtypeStruct((n, 8, 8, 1, 64), np.float32) for n in (32, 2))
    texts = [
        jax.jit(lambda x: lowering(stored)(x * 2 + 1).transpose(4, 1, 2, 3, 0)).lower(one).compile().as_text()
        for one in (large, small)
    ]
    assert ["conditional(" in text for text in texts] == [True, False]
    x = np.random.default_rng(0).standard_normal((32, 8, 8, 1, 64)).astype(np.float32)
    x[0, 0, 0, 0, 0] = np.nan
    np.testing.assert_array_equal(jax.jit(lowering(stored))(x), x)
    x[0, 0, 0, 0, 0] = -np.inf
    np.testing.assert_array_equal(jax.jit(lowering(stored))(x), x)


@pytest.mark.parametrize("lengths", [(3, 40), (40, 3)])
def test_a_kernel_as_long_as_the_input_multiplies_as_often_backwards_as_forwards(lengths):
    """Along that axis there is one place: the general way would pad it with zeros and multiply those."""
    from penstock.tiers.program import programs

    x = ps.Variable(np.random.default_rng(0).standard_normal((2, 40, 40, 1)).astype(np.float32))
    kernel = ps.Variable(np.random.default_rng(1).standard_normal((*lengths, 1, 4)).astype(np.float32))
    costs = []
    with use_engine("numpy"):
        for differentiate in (False, True):
            before = set(programs)
            with ps.GradientTape() as tape:
                loss = ps.sum(ps.nn.conv(x, kernel))
            (tape.gradient(loss, x) if differentiate else loss).numpy()
            costs.append(max(programs[one].cost for one in set(programs) - before))
    forwards, both = costs
    assert forwards >= 2 * 38 * 4 * 2 * 3 * 40
    assert both < 3 * forwards


SPREAD = [
    ((4, 9, 7, 1, 8), (3, 3, 8, 1, 16), ((2, 1), (1, 2)), (2, 2)),
    ((4, 9, 7, 1, 8), (5, 2, 8, 1, 16), ((1, 3), (4, -1)), (3, 2)),
    ((4, 8, 8, 1, 16), (1, 1, 16, 1, 32), ((0, 1), (0, 1)), (2, 2)),
    ((4, 9, 11, 2, 8), (2, 3, 8, 2, 16), ((-1, 3), (4, 1)), (4, 3)),
    ((8, 50, 1, 32), (5, 32, 1, 64), ((3, 1),), (2,)),
    ((2, 5, 4, 3, 1, 8), (3, 2, 2, 8, 1, 16), ((1, 1), (0, 2), (1, 0)), (2, 2, 3)),
]
"""Inputs with spread elements: their shape, the kernel, the padding, and how far apart they are."""


def spread_out(x, spread):
    """The same input with the zeros written between its elements."""
    lengths = [(n - 1) * step + 1 for n, step in zip(x.shape[1:], spread, strict=False)]
    whole = np.zeros((x.shape[0], *lengths, *x.shape[-2:]), x.dtype)
    whole[(slice(None), *(slice(None, None, step) for step in spread))] = x
    return whole


@pytest.mark.parametrize("engine", ["numpy", "xla"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_elements_that_are_spread_out_are_convolved_as_with_zeros_between(engine, dtype):
    from penstock.ops.window import convolution

    rng = np.random.default_rng(0)
    found = []
    with use_engine(engine):
        for shape, kernel, padding, spread in SPREAD:
            x, w = (rng.standard_normal(one).astype(dtype) for one in (shape, kernel))
            ones = (1,) * len(spread)
            rest = {"strides": ones, "padding": padding, "dilation": ones}
            made = convolution(ps.asarray(x), ps.asarray(w), spread=spread, **rest)
            wide = [ps.asarray(one.astype(np.float64)) for one in (spread_out(x, spread), w)]
            found.append((made, convolution(*wide, spread=ones, **rest)))
        for made, wanted in found:
            assert made.dtype == np.dtype(dtype)
            scale = float(np.abs(wanted.numpy()).max())
            tolerance = 8 * float(np.finfo(dtype).eps) * scale
            np.testing.assert_allclose(made.numpy().astype(np.float64), wanted.numpy(), atol=tolerance)


def test_numpy_multiplies_no_zeros_between_elements(monkeypatch):
    """The gradient by the input of a convolution with strides of two multiplies a quarter of what it did."""
    counts = []
    product = np.matmul

    def counted(a, b, **more):
        counts.append(a.size * b.shape[-1])
        return product(a, b, **more)

    rng = np.random.default_rng(0)
    x = ps.Variable(rng.standard_normal((8, 16, 16, 16)).astype(np.float32))
    kernel = ps.asarray(rng.standard_normal((3, 3, 16, 16)).astype(np.float32))
    with use_engine("numpy"):
        monkeypatch.setattr(np, "matmul", counted)
        ps.nn.conv(x, kernel, strides=2, padding="same").numpy()
        forwards = sum(counts)
        counts.clear()
        with ps.GradientTape() as tape:
            loss = ps.sum(ps.nn.conv(x, kernel, strides=2, padding="same"))
        tape.gradient(loss, x).numpy()
    assert forwards == 8 * 8 * 8 * 9 * 16 * 16
    assert sum(counts) <= 2 * forwards


def test_unfolded_windows_stay_in_the_cache(monkeypatch):
    """The windows of all images together are nine times as large as the images."""
    from penstock.ops import window

    sizes = []
    product = np.matmul

    def noted(a, b, **more):
        sizes.append(a.nbytes)
        return product(a, b, **more)

    rng = np.random.default_rng(0)
    x, kernel = rng.standard_normal((32, 16, 16, 1, 64)), rng.standard_normal((3, 3, 64, 1, 8))
    rest = {"strides": (1, 1), "padding": ((1, 1), (1, 1)), "spread": (1, 1), "dilation": (1, 1)}
    monkeypatch.setattr(np, "matmul", noted)
    in_parts = window._convolution_numpy(x.astype(np.float32), kernel.astype(np.float32), **rest)
    assert len(sizes) > 1 and max(sizes) <= 4 << 20
    monkeypatch.setattr(window, "CHUNK", 1 << 30)
    together = window._convolution_numpy(x.astype(np.float32), kernel.astype(np.float32), **rest)
    np.testing.assert_allclose(in_parts, together, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_an_infinity_in_a_kernel_does_not_meet_the_zeros_between_elements(engine):
    """Between them there is nothing, as in a transposed convolution of PyTorch or TensorFlow."""
    from penstock.ops.window import convolution

    rng = np.random.default_rng(0)
    x, kernel = rng.standard_normal((4, 12, 12, 1, 16)), rng.standard_normal((2, 2, 16, 1, 16))
    kernel[0, 1, 3, 0, 2] = np.inf
    options = {"strides": (1, 1), "padding": ((0, 0), (0, 0)), "spread": (2, 2), "dilation": (1, 1)}
    with use_engine(engine):
        for dtype in ("float64", "float32"):
            made = convolution(
                ps.asarray(x.astype(dtype)), ps.asarray(kernel.astype(dtype)), **options
            ).numpy()
            assert not np.isnan(made).any()
            # Where the first row and the second column of the kernel meet an element.
            assert np.isinf(made[:, ::2, 1::2, 0, 2]).all() and np.isinf(made).sum() == 4 * 11 * 11
