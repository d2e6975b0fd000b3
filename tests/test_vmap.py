"""vmap: batching rules of every primitive, axes, structures, derivatives, random numbers, refusals, costs."""

import itertools
import zlib

import numpy as np
import pytest

import penstock as ps
from counting import count_compilations, launches, rules
from penstock.ops import batching
from penstock.ops.table import complete
from penstock.testing import use_engine
from penstock.trace.tree import tree

SIZE = 3
table = complete()
BATCHED = [
    pytest.param(p, id=p.name) for p in table.values() if p not in batching.DRAWS and p.name != "arange"
]


def close(found, want, rtol=1e-6, atol=0.0):
    """Compares tensors, variables and arrays, and their shapes."""
    found, want = (np.asarray(one.numpy() if hasattr(one, "numpy") else one) for one in (found, want))
    assert found.shape == want.shape, (found.shape, want.shape)
    np.testing.assert_allclose(found, want, rtol=rtol, atol=atol)


def drawn(p):
    for sample in p.samples(np.random.default_rng(zlib.crc32(p.name.encode()))):
        params = sample[-1] if sample and isinstance(sample[-1], dict) else {}
        yield [np.asarray(one) for one in (sample[:-1] if params else sample)], params


def varied(operand, rng):
    """A few operands like one: numbers a little apart, whole numbers and truth values in another order."""
    if operand.dtype.kind == "f":
        return np.stack([operand * scale for scale in (1.0, 0.9375, 1.0625)])
    flat = operand.reshape(-1)
    return np.stack([rng.permutation(flat).reshape(operand.shape) for _ in range(SIZE)])


def check_rule(p):
    rng = np.random.default_rng(0)
    for operands, params in drawn(p):
        places = range(len(operands))
        for count in range(1, len(operands) + 1):
            for active in itertools.combinations(places, count):
                batch = [varied(one, rng) if i in active else one for i, one in enumerate(operands)]
                axes = [0 if i in active else None for i in places]

                def apply(*given, params=params):
                    return p(*given, **params)

                found = ps.vmap(apply, in_axes=axes)(*map(ps.asarray, batch))
                want = [
                    apply(*(ps.asarray(b[n] if i in active else b) for i, b in enumerate(batch)))
                    for n in range(SIZE)
                ]
                assert found.dtype == want[0].dtype
                close(found, np.stack([one.numpy() for one in want]), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("p", BATCHED)
def test_a_batch_is_one_example_after_the_other(p):
    with use_engine("numpy"):
        check_rule(p)


WINDOWS = ["convolution", "max_pool", "max_pool_gather", "max_pool_scatter", "sum_pool", "sum_unpool"]


@pytest.mark.parametrize(
    "name", ["add", "matmul", "take", "take_transpose", "window", "sum", "concat", "where", *WINDOWS]
)
def test_rules_hold_in_xla(name):
    with use_engine("xla"):
        check_rule(table[name])


def test_a_primitive_without_a_rule_is_looped_over(tier, monkeypatch):
    p = table["sin"]
    monkeypatch.delitem(batching.rules, p)
    x = ps.asarray(np.linspace(0.0, 1.0, 6).reshape(3, 2))
    close(ps.vmap(lambda row: ps.sum(ps.sin(row) * row))(x), (np.sin(x.numpy()) * x.numpy()).sum(1))
    slope = ps.vmap(ps.grad(lambda row: ps.sum(ps.sin(row))))(x)
    close(slope, np.cos(x.numpy()))


# -- axes and structures ------------------------------------------------------------------------------------

A = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize("inside", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("outside", [0, 1, -1])
def test_axes(tier, inside, outside):
    found = ps.vmap(lambda m: m * 2.0, in_axes=inside, out_axes=outside)(ps.asarray(A))
    close(found, np.moveaxis(A, inside, outside) * 2.0)


def test_structures_and_whole_operands(tier):
    def f(pair, scale, *, shift):
        return {"sum": pair[0] + pair[1]["b"] * scale, "both": (pair[0] + shift, scale * 2.0)}

    first, second = np.arange(6.0).reshape(3, 2), np.arange(3.0)
    found = ps.vmap(
        f, in_axes=((0, {"b": None}), None), out_axes={"sum": 1, "both": (0, None)}
    )((first, {"b": ps.asarray(10.0)}), 3.0, shift=second)  # fmt: skip
    close(found["sum"], (first + 30.0).T)
    close(found["both"][0], first + second[:, None])
    close(found["both"][1], 6.0)


def test_what_is_not_batched_is_spread(tier):
    close(ps.vmap(lambda x: ps.asarray([1.0, 2.0]))(ps.zeros(3)), [[1.0, 2.0]] * 3)
    close(ps.vmap(lambda x: 5.0)(ps.zeros(2)), [5.0, 5.0])


def test_nested(tier):
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(4, 3)
    table_of = ps.vmap(ps.vmap(lambda x, y: ps.sum(x * y), in_axes=(None, 0)), in_axes=(0, None))
    close(table_of(ps.asarray(a), ps.asarray(b)), a @ b.T)


def test_variables_are_read_whole_or_along_an_axis(tier):
    w = ps.Variable([[1.0, 2.0], [3.0, 4.0]])
    with ps.GradientTape() as tape:
        y = ps.vmap(lambda row, x: ps.sum(row * x * w[0, 0]))(w, ps.asarray([[1.0, 1.0], [2.0, 2.0]]))
        loss = ps.sum(y)
    close(tape.gradient(loss, w), [[1.0 + 17.0, 1.0], [2.0, 2.0]])


# -- derivatives --------------------------------------------------------------------------------------------


def test_gradients_of_each_example(tier):
    rng = np.random.default_rng(1)
    w, x, y = rng.standard_normal((4, 2)), rng.standard_normal((5, 4)), rng.integers(0, 2, 5)

    def loss(w, x, y):
        return ps.losses.softmax_cross_entropy(x @ w, y)

    found = ps.vmap(ps.grad(loss), in_axes=(None, 0, 0))(ps.asarray(w), x, y)
    want = [ps.grad(loss)(ps.asarray(w), ps.asarray(a), ps.asarray(b)).numpy() for a, b in zip(x, y)]
    close(found, np.stack(want), rtol=1e-10)
    variable = ps.Variable(w)
    close(ps.vmap(ps.grad(loss), in_axes=(None, 0, 0))(variable, x, y), np.stack(want), rtol=1e-10)
    with ps.GradientTape() as tape:
        mean = ps.mean(ps.vmap(loss, in_axes=(None, 0, 0))(variable, x, y))
    close(tape.gradient(mean, variable), np.mean(want, axis=0), rtol=1e-10)


def test_a_hessian_of_each_example(tier):
    x = np.array([[0.3, 0.5], [1.0, -1.0]])
    found = ps.vmap(ps.hessian(lambda v: ps.prod(v) ** 2))(ps.asarray(x))
    want = [[[2 * b * b, 4 * a * b], [4 * a * b, 2 * a * a]] for a, b in x]
    close(found, want)


def test_vmap_of_a_gradient_of_its_own(tier):
    @ps.custom_gradient
    def f(x, w):
        return ps.sum(x * w), lambda up: (up * w * 10.0, up * x * 100.0)

    x, w = ps.Variable([[1.0, 2.0], [3.0, 4.0]]), ps.Variable([5.0, 6.0])
    with ps.GradientTape() as tape:
        y = ps.sum(ps.vmap(f, in_axes=(0, None))(x, w))
    by_x, by_w = tape.gradient(y, [x, w])
    close(by_x, [[50.0, 60.0]] * 2)
    close(by_w, [400.0, 600.0])


def test_vmap_of_a_checkpoint(tier):
    w = ps.Variable([0.5, -0.5])
    f = ps.checkpoint(lambda x: ps.tanh(ps.sin(x) * w))
    x = ps.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    def run(g):
        with ps.GradientTape() as tape:
            loss = ps.sum(g(x) ** 2)
        return tape.gradient(loss, w)

    close(run(ps.vmap(f)), run(lambda x: ps.tanh(ps.sin(x) * w)))


def test_jacobian_forward_by_columns_is_the_one_by_rows(tier):
    def f(x):
        return ps.sin(x) * ps.sum(x * x)

    x = ps.asarray([0.1, 0.2, 0.3])
    columns = ps.vmap(lambda e: ps.jvp(f, x, e)[1], out_axes=1)(ps.asarray(np.eye(3, dtype=np.float32)))
    close(columns, ps.jacobian(f)(x), rtol=1e-5)


# -- random numbers -----------------------------------------------------------------------------------------


def test_each_example_draws_its_own_numbers_and_reproducibly(tier):
    def draw():
        ps.random.seed(11)
        noisy = ps.vmap(lambda x: x + ps.random.normal((2,)))
        return noisy(ps.zeros((4, 2))).numpy(), noisy(ps.zeros((4, 2))).numpy()

    first, second = draw()
    assert len({row.tobytes() for row in [*first, *second]}) == 8
    again = draw()
    assert np.array_equal(first, again[0]) and np.array_equal(second, again[1])


def test_random_numbers_of_a_checkpoint_in_a_batch_are_the_same_on_the_way_back(tier):
    w = ps.Variable(np.ones(50))
    f = ps.vmap(ps.checkpoint(lambda x: x * w * ps.astype(ps.random.uniform((50,)) < 0.5, "float64")))
    with ps.GradientTape() as tape:
        y = f(ps.ones((3, 50), dtype="float64"))
        loss = ps.sum(y)
    close(tape.gradient(loss, w), y.numpy().sum(0))
    assert len({row.tobytes() for row in y.numpy()}) == 3


# -- refusals -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: ps.vmap(ps.add)(ps.zeros(3), ps.zeros(4)), "there are 3 and 4 examples"),
        (lambda: ps.vmap(ps.sin)(ps.asarray(1.0)), "has no axis 0"),
        (lambda: ps.vmap(ps.sin, in_axes=2)(ps.zeros((3, 3))), "has no axis 2"),
        (lambda: ps.vmap(ps.add, in_axes=(0,))(ps.zeros(3), ps.zeros(3)), "in_axes is"),
        (lambda: ps.vmap(ps.add, in_axes=None)(ps.zeros(3), ps.zeros(3)), "no argument has an axis"),
        (lambda: ps.vmap(ps.sin, out_axes=5)(ps.zeros(3)), "out_axes is 5"),
        (lambda: ps.vmap(ps.sin, out_axes=None)(ps.zeros(3)), "differs from example to example"),
        (lambda: ps.vmap(lambda x: float(x))(ps.zeros(3)), "inside vmap of <lambda>"),
    ],
)
def test_refusals(ask, words):
    with pytest.raises(ps.errors.PenstockError, match=words) as caught:
        ask()
    assert caught.value.site.file == __file__


def test_an_index_outside_is_refused_where_it_belongs_to_one_example(tier):
    x, indices = ps.asarray(np.arange(6.0).reshape(2, 3)), ps.asarray([1, 3])
    with pytest.raises(ps.errors.RangeError, match="index 3"):
        ps.vmap(lambda row, i: ps.take(row, i, axis=0))(x, indices).numpy()


# -- what it costs ------------------------------------------------------------------------------------------


class PerExample:
    def __init__(self):
        self.w = ps.Variable(np.ones((4, 2), np.float32))
        self.x = ps.asarray(np.random.default_rng(0).standard_normal((5, 4)).astype(np.float32))

    def turn(self, i):
        def loss(w, x):
            return ps.sum(ps.tanh(x @ w) * (0.1 * i))

        slopes = ps.vmap(ps.grad(loss), in_axes=(None, 0))(self.w, self.x)
        self.w.assign_sub(0.01 * ps.mean(ps.clip(slopes, -1.0, 1.0), axis=0))


def test_from_the_second_pass_on_no_rule_is_called():
    with use_engine("xla"):
        made = PerExample()
        for i in range(5):
            made.turn(i)
        ps.wait()
        before, compiled, nodes = launches(), count_compilations(), tree.count
        with rules() as counted:
            for i in range(5, 15):
                made.turn(i)
            ps.wait()
        assert not counted, counted
        assert launches() - before == 10 and count_compilations() == compiled and tree.count == nodes
