"""What XLA computes once and stores: how much memory the kernels of a program read and write."""

import math
import re

import numpy as np
import pytest

import penstock as ps
from counting import last_compiled
from penstock.testing import use_engine
from penstock.tiers.storing import LARGE, MANY, stored

pytest.importorskip("jax")

ROWS, WIDTH = 1024, 128
"""Large enough that a value is stored."""


def kernels(text):
    """Yields, for each kernel of fused operations, the numbers of elements that it reads and writes."""
    entry = text[text.index("\nENTRY") :]
    sizes = {}
    for line in entry.splitlines():
        found = re.match(r"\s*(?:ROOT )?%([\w.-]+) = (\w+\[[\d,]*\])\S* ([\w-]+)\((.*)", line)
        if found is None:
            continue
        name, kind, operation, rest = found.groups()
        sizes[name] = math.prod(map(int, re.findall(r"\d+", kind[kind.index("[") :])))
        if operation == "fusion" and not name.startswith("ynn"):
            operands = re.findall(r"%([\w.-]+)", rest.split("), ")[0])
            yield [sizes[name], *(sizes.get(one, 0) for one in operands)]


def residual(depth, engine="xla"):
    """The weights after a training step of this many residual blocks."""
    rng = np.random.default_rng(0)
    weights = [ps.Variable(rng.normal(size=(WIDTH, WIDTH)).astype(np.float32) * 0.05) for _ in range(depth)]
    x = ps.asarray(rng.normal(size=(ROWS, WIDTH)).astype(np.float32))
    with use_engine(engine):
        with ps.GradientTape() as tape:
            h = x
            for weight in weights:
                h = h + ps.tanh(h - ps.mean(h, axis=-1, keepdims=True)) @ weight
            loss = ps.mean(ps.square(h))
        for weight, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(10.0 * gradient)
        return [weight.numpy() for weight in weights]


def dense(rows, width, engine="xla"):
    """The gradients of two layers' weights: each is a product with the layer's input, transposed."""
    rng = np.random.default_rng(1)
    shapes = [(width, width), (width, width)]
    weights = [ps.Variable(rng.normal(size=one).astype(np.float32) * 0.1) for one in shapes]
    x = ps.Variable(rng.normal(size=(rows, width)).astype(np.float32))
    with use_engine(engine):
        with ps.GradientTape() as tape:
            hidden = ps.tanh((ps.sin(x) * x) @ weights[0])
            loss = ps.mean(ps.square(hidden @ weights[1]))
        return [one.numpy() for one in tape.gradient(loss, weights)]


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize(("rows", "turned"), [(1024, 2), (100, 0)])
def test_a_large_left_operand_is_transposed_before_its_product(rows, turned):
    """Libraries multiply it at half the speed otherwise; a small one costs more to transpose."""
    found = dense(rows, 128)
    program, text = last_compiled()
    # Those with one column are sums.
    products = re.findall(r"\d,\d\d+\]\S* dot\(.*lhs_contracting_dims=\{(\d)\}", text)
    assert len(products) == 5 and products.count("0") == 2 - turned
    transposes = [i for i in stored(program) if program.steps[i].primitive.name == "transpose"]
    assert len(transposes) == turned
    for one, other in zip(found, dense(rows, 128, "numpy"), strict=True):
        assert np.allclose(one, other, rtol=1e-4, atol=1e-6)


def test_what_a_product_reads_is_computed_once():
    """The first layer's input, which its weight's gradient reads too, and the second's."""
    dense(1536, 128)
    program, text = last_compiled()
    assert text.count(" sine(") == text.count(" tanh(") == 1
    names = [program.steps[i].primitive.name for i in sorted(stored(program))]
    assert names == ["multiply", "tanh", "multiply", "transpose", "transpose"]


def test_a_deep_model_reads_in_proportion_to_its_depth():
    """Twice as many blocks move twice as much, and no kernel reads more than a few large values."""
    residual(3)
    few = list(kernels(last_compiled()[1]))
    moved = residual(6)
    many = list(kernels(last_compiled()[1]))
    assert sum(map(sum, many)) < 2.3 * sum(map(sum, few))
    large = [sum(size >= ROWS * WIDTH for size in one) for one in many]
    assert max(large) <= 6
    for one, other in zip(moved, residual(6, "numpy"), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_no_kernel_of_a_deep_model_reads_many_values_however_small():
    """The compiler's time grows with the square of a kernel's inputs; the depth must not matter."""
    rng = np.random.default_rng(0)
    depth, width = 24, 8
    weights = [
        ps.Variable(rng.normal(size=(width, width)).astype(np.float32) * 0.05, name=f"deep_{i}")
        for i in range(depth)
    ]
    x = ps.asarray(rng.normal(size=(4, width)).astype(np.float32))

    def step():
        with ps.GradientTape() as tape:
            h = x
            for weight in weights:
                h = h + ps.tanh(h - ps.mean(h, axis=-1, keepdims=True)) @ weight
            loss = ps.mean(ps.square(h))
        return [np.asarray(one) for one in tape.gradient(loss, weights)]

    with use_engine("xla"):
        found = step()
    assert max(map(len, kernels(last_compiled()[1]))) <= MANY + 8
    with use_engine("numpy"):
        for one, other in zip(found, step(), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("sources", "readers", "size", "expected"),
    [
        (1, 5, LARGE, 0),
        (2, 3, LARGE, 0),
        (2, 4, LARGE, 1),
        (3, 2, LARGE, 0),
        (3, 3, LARGE, 1),
        (3, 4, LARGE - 1, 0),
    ],
)
def test_a_value_is_stored_where_that_moves_less(sources, readers, size, expected):
    """Its readers times its sources are compared with reading each once, writing it, and reading it."""
    given = [ps.asarray(np.full(size, i + 1.0, np.float32)) for i in range(sources)]
    with use_engine("xla"):
        h = given[0] * 2.0
        for one in given[1:]:
            h = h * one
        results = [ps.sum(h * (i + 1.5)) for i in range(readers)]
        del h
        found = [float(one) for one in results]
    program, text = last_compiled()
    assert len(stored(program)) == expected == len(re.findall(r" opt-barrier\(", text))
    total = 2.0 * math.factorial(sources) * size
    np.testing.assert_allclose(found, [total * (i + 1.5) for i in range(readers)], rtol=1e-5)


def test_small_inputs_of_a_value_are_no_sources():
    """A mean for each row, and a bias, are read in no time; a broadcast row is as small as the row."""
    x, row = ps.asarray(np.ones((ROWS, WIDTH), np.float32)), ps.asarray(np.ones(WIDTH, np.float32))
    with use_engine("xla"):
        h = (x - ps.mean(x, axis=-1, keepdims=True)) * row + row
        results = [ps.sum(h * (i + 1.5)) for i in range(5)]
        del h
        ps.wait(*results)
    assert not stored(last_compiled()[0])


def test_a_loop_turns_its_matrices_once():
    """The backward pass multiplies by the transpose in each turn, which is made before the first one.

    In float64, which XLA computes wherever there is a compiler for C and wherever there is none.
    """
    rng = np.random.default_rng(0)
    w = ps.Variable(rng.normal(size=(6, 6)) * 0.3, dtype="float64", name="turned_weight")
    xs = ps.asarray(rng.normal(size=(5, 4, 6)), dtype="float64")

    def step():
        with ps.GradientTape() as tape:
            h, _ = ps.scan(lambda h, x: (ps.tanh(h @ w + x), None), ps.zeros((4, 6), dtype="float64"), xs)
            loss = ps.sum(ps.square(h))
        return np.asarray(tape.gradient(loss, w))

    with use_engine("xla"):
        found = step()
    dots = re.findall(r" dot\(.*?rhs_contracting_dims=\{(\d)\}", last_compiled()[1])
    assert len(dots) >= 3 and set(dots) == {"0"}
    with use_engine("numpy"):
        np.testing.assert_allclose(found, step(), rtol=1e-5, atol=1e-6)


def test_the_gradient_of_a_kernel_reads_stored_values_without_copies_or_branches():
    """Both operands are transposed: neither is computed again in that order. Barriers store them.

    A third one stores which place of each window was the largest.
    """
    rng = np.random.default_rng(0)
    x = ps.asarray(rng.normal(size=(16, 16, 16, 16)).astype(np.float32))
    kernel = ps.Variable(rng.normal(size=(3, 3, 16, 16)).astype(np.float32), name="stored_kernel")

    def step():
        with ps.GradientTape() as tape:
            h = ps.nn.conv(ps.tanh(x), kernel, padding="same")
            loss = ps.sum(ps.square(ps.nn.max_pool(h, 2)))
        return tape.gradient(loss, kernel).numpy()

    with use_engine("xla"):
        found = step()
    text = last_compiled()[1]
    assert len(re.findall(r" opt-barrier\(", text)) == 3
    assert "conditional(" not in text
    with use_engine("numpy"):
        np.testing.assert_allclose(found, step(), rtol=1e-3, atol=1e-3)


def test_pools_side_by_side_put_no_parts_back():
    """Each element asks for its own window: no part is spread over the whole, with a branch for each."""
    x = ps.asarray(np.random.default_rng(0).normal(size=(4, 9, 6, 3)).astype(np.float32))
    texts = {}
    for strides in (2, 1):
        with use_engine("xla"), ps.GradientTape() as tape:
            tape.watch(x)
            loss = ps.sum(ps.square(ps.nn.max_pool(x, 2, strides=strides)))
        with use_engine("xla"):
            ps.wait(tape.gradient(loss, x))
        texts[strides] = last_compiled()[1]
    # One pad at the end, for the row that no window covers; one for each place of windows that overlap.
    assert [len(re.findall(r" pad\(", texts[strides])) for strides in (2, 1)] == [1, 4]
