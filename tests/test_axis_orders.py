"""Transpositions that cancel across other operations: no picture is moved there, and values stay the same."""

import functools
import re

import numpy as np
import pytest

import penstock as ps
from penstock.testing import use_engine
from penstock.tiers import xla
from penstock.tiers.axis_orders import LARGE, after, inverse, is_identity, orders, reordered

pytest.importorskip("jax")


def moved(program):
    """Returns the sizes of the large values that the lowered program transposes."""
    text = xla.lower(functools.partial(xla.evaluate, program, []), program.specs, ()).as_text()
    shapes = re.findall(r"stablehlo\.transpose .*-> tensor<([\dx]+)x\w+>", text)
    sizes = [int(np.prod(list(map(int, one.split("x"))))) for one in shapes]
    return sorted(size for size in sizes if size >= LARGE)


def last():
    return xla.compilations[-1][0]


def pictures(shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def network(depth, data_format, train=False):
    """Convolutions with a bias, a normalization, a sum and pooling: the loss, or its gradients."""
    first = data_format == "channels_first"
    x = ps.asarray(pictures((4, 8, 16, 16) if first else (4, 16, 16, 8)))
    kernels = [ps.Variable(pictures((3, 3, 8, 8), 1 + i) * 0.1) for i in range(depth)]
    biases = [ps.Variable(pictures((8,), 9 + i)) for i in range(depth)]
    axes = (0, 2, 3) if first else (0, 1, 2)

    def loss():
        h = x
        for kernel, bias in zip(kernels, biases, strict=True):
            y = ps.nn.conv(h, kernel, padding="same", data_format=data_format)
            y = y + (ps.reshape(bias, (1, 8, 1, 1)) if first else bias)
            centred = y - ps.mean(y, axis=axes, keepdims=True)
            variance = ps.mean(ps.square(centred), axis=axes, keepdims=True)
            h = ps.nn.relu(h + centred * ps.rsqrt(variance + 1e-3))
            h = ps.nn.max_pool(h, 3, 1, padding="same", data_format=data_format)
        return ps.mean(ps.square(h))

    if not train:
        return [loss().numpy()]
    with ps.GradientTape() as tape:
        found = loss()
    gradients = tape.gradient(found, kernels + biases)
    return [one.numpy() for one in gradients]


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("train", [False, True])
def test_a_deeper_channels_first_network_moves_no_more_pictures_than_a_channels_last_one(train):
    counts = {}
    for data_format in ("channels_last", "channels_first"):
        for depth in (1, 2):
            with use_engine("xla"):
                found = network(depth, data_format, train)
            counts[data_format, depth] = len(moved(last()))
            if depth == 1:
                with use_engine("numpy"):
                    wanted = network(depth, data_format, train)
                for a, b in zip(found, wanted, strict=True):
                    np.testing.assert_allclose(a, b, rtol=2e-3, atol=1e-5)
    more = {name: counts[name, 2] - counts[name, 1] for name in ("channels_last", "channels_first")}
    assert more["channels_first"] == more["channels_last"]
    assert counts["channels_first", 1] - counts["channels_last", 1] <= 2  # the data, and its last reader


SHAPE = (8, 6, 10, 12)


def random_program(rng, x):
    """Returns a value of x by random operations, many of them transpositions."""
    values = [x, ps.permute_dims(x, (0, 2, 3, 1))]
    for _ in range(rng.integers(4, 12)):
        one = values[rng.integers(len(values))]
        rank = len(one.shape)
        axis = int(rng.integers(rank))
        kind = rng.integers(9)
        if kind <= 2:
            last = [tuple(int(n) for n in rng.permutation(rank)), (0, 2, 3, 1), (0, 3, 1, 2)][rng.integers(3)]
            found = ps.permute_dims(one, last)
        elif kind == 3:
            found = ps.tanh(one) * 0.5 + 0.1
        elif kind == 4:
            row = ps.asarray(pictures((one.shape[axis],), int(rng.integers(99))))
            found = one + ps.reshape(row, tuple(-1 if i == axis else 1 for i in range(rank)))
        elif kind == 5:
            found = ps.concat([one, ps.sin(one)], axis=axis)
            found = found[tuple(slice(0, n) for n in one.shape)]
        elif kind == 6:
            found = ps.flip(one, axis=axis)
        else:
            alike = [other for other in values if other.shape == one.shape]
            other = alike[rng.integers(len(alike))]
            found = ps.where(one > 0.1, other, one * 0.5) if kind == 7 else one * other * 0.5
        values.append(found)
    return sum(ps.sum(one * one) for one in values[-4:])


@pytest.mark.usefixtures("processor")
def test_random_programs_give_what_numpy_gives():
    used = 0
    for seed in range(12):
        found = []
        for engine in ("xla", "numpy"):
            x = ps.Variable(pictures(SHAPE, seed))
            with use_engine(engine):
                with ps.GradientTape() as tape:
                    loss = random_program(np.random.default_rng(seed), x)
                gradient = tape.gradient(loss, x)
                found.append((loss.numpy(), gradient.numpy()))
            if engine == "xla":
                used += any(orders(program) for program, _ in xla.compilations[-2:])
        for a, b in zip(*found, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-3, err_msg=f"seed {seed}")
    assert used >= 6


@pytest.mark.usefixtures("processor")
def test_transpositions_that_do_not_cancel_stay_where_they_are():
    x = ps.asarray(pictures((64, 128)))
    with use_engine("xla"):
        (ps.tanh(ps.permute_dims(x, (1, 0))) + 1.0).numpy()
    assert orders(last()) == {} and len(moved(last())) == 1
    with use_engine("xla"):
        (ps.permute_dims(ps.tanh(ps.permute_dims(x, (1, 0))), (1, 0)) + 1.0).numpy()
    assert len(orders(last())) == 2 and moved(last()) == []


@pytest.mark.usefixtures("processor")
def test_a_mask_is_transposed_and_not_the_picture_twice():
    x, mask = ps.asarray(pictures((8, 16, 16, 8))), ps.asarray(pictures((8, 8, 16, 16), 1))
    with use_engine("xla"):
        ps.permute_dims(ps.permute_dims(ps.nn.relu(x), (0, 3, 1, 2)) * mask, (0, 2, 3, 1)).numpy()
    assert moved(last()) == [8 * 16 * 16 * 8]


def test_permutations():
    for axes in ((0,), (1, 0), (0, 3, 1, 2), (2, 0, 3, 1)):
        assert is_identity(after(axes, inverse(axes))) and is_identity(after(inverse(axes), axes))
        array = np.empty(tuple(range(2, 2 + len(axes))))
        assert array.transpose(axes).shape == tuple(array.shape[i] for i in axes)
        assert reordered(array.transpose(axes).shape, axes) == array.shape
