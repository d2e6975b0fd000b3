"""Loops by rows in C: NumPy's numbers, for every operation it has, and only where rows do not meet."""

import itertools

import numpy as np
import pytest

import penstock as ps
from in_a_process import printed
from penstock.ops import pointwise as ops
from penstock.ops import row_code, row_loops, row_reading
from penstock.ops.shape import part_of
from penstock.testing import use_engine

jax = pytest.importorskip("jax")
missing = row_loops.lack()
pytestmark = [
    pytest.mark.skipif(missing is not None, reason=f"loops by rows: {missing}"),
    pytest.mark.usefixtures("processor"),
]


@pytest.fixture
def calls(monkeypatch):
    """How each loop was lowered: True where the function in C computes it."""
    found = []
    plain = row_loops.computed

    def computed(*operands):
        results = plain(*operands)
        found.append(results is not None)
        return results

    monkeypatch.setattr(row_loops, "computed", computed)
    return found


def both(function, *arrays):
    """The results of a function of tensors, by NumPy and by XLA."""
    found = []
    for engine in ("numpy", "xla"):
        with use_engine(engine):
            results = function(*map(ps.asarray, arrays))
            found.append([np.asarray(one) for one in results])
    return found


def alike(function, *arrays, rtol=2e-5, atol=2e-6):
    for wanted, got in zip(*both(function, *arrays), strict=True):
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, rtol=rtol, atol=atol)


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


EDGES = np.asarray(
    [0.0, -0.0, 1.2e-38, -1.2e-38, 1e-30, 0.6249999, 0.625, -0.6250001, 1.0, 9.0, 16.63, 16.64, 17.0, 44.0,
     87.3, 88.72, 88.73, 103.9, 104.1, 1e30, np.inf, np.nan, -1.0, -9.0, -16.64, -17.0, -87.3, -87.4, -103.0,
     -104.1, -1e30, -np.inf],
    np.float32,
)  # fmt: skip
UNARY = (
    ops.absolute, ops.exp, ops.logistic, ops.negative, ops.relu, ops.sigmoid, ops.sqrt, ops.square, ops.tanh,
)  # fmt: skip
COMPARISONS = (ops.equal, ops.greater, ops.greater_equal, ops.less, ops.less_equal, ops.not_equal)
BINARY = (ops.add, ops.divide, ops.maximum, ops.minimum, ops.multiply, ops.subtract)


def through(function, x, weight):
    """Applies a function to each row of a stack, in a loop that multiplies by a matrix."""

    def turn(state, row):
        return state + function(row) @ weight, function(row)

    return ps.scan(turn, ps.zeros((x.shape[1], weight.shape[1])), x)[1:]


@pytest.mark.parametrize("operation", UNARY, ids=lambda one: one.name)
def test_a_function_of_one_element_has_numpys_values_and_its_edges(operation, calls):
    x = np.concatenate([EDGES, drawn(96)]).reshape(1, 4, -1)
    with np.errstate(all="ignore"):
        alike(lambda x, w: through(operation, x, w), x, drawn(x.shape[2], 3), rtol=3e-7, atol=1e-37)
    assert calls == [True]


@pytest.mark.parametrize("operation", BINARY, ids=lambda one: one.name)
def test_a_function_of_two_elements_has_numpys_bits_and_its_edges(operation, calls):
    x = np.repeat(EDGES, len(EDGES)).reshape(1, len(EDGES), -1)
    y = np.ascontiguousarray(x[0].T)
    with np.errstate(all="ignore"):
        alike(
            lambda x, y, w: through(lambda row: operation(row, y), x, w),
            x,
            y,
            drawn(32, 3),
            rtol=0,
            atol=2e-38,
        )
    assert calls == [True]


def test_every_operation_is_tried():
    tried = {one.name for one in (*UNARY, *BINARY)} | {"where"}
    assert tried == row_reading.ELEMENTWISE
    compared = {one.name for one in COMPARISONS}
    assert compared == row_reading.COMPARISONS
    assert set(row_code.NAMES) == tried | compared | {"copy", "matmul", "spread", "sum", "zeros"}


@pytest.mark.parametrize("operation", COMPARISONS, ids=lambda one: one.name)
def test_a_comparison_has_numpys_truths_and_its_edges(operation, calls):
    x = np.repeat(EDGES, len(EDGES)).reshape(1, len(EDGES), -1)
    y = np.ascontiguousarray(x[0].T)
    chosen = lambda row, y: ps.where(operation(row, y), 1.0, 2.0)  # noqa: E731
    alike(lambda x, y, w: through(lambda row: chosen(row, y), x, w), x, y, drawn(32, 3), rtol=0, atol=0)
    assert calls == [True]


class Drawn:
    """A random loop: carried values, stacks and what stays, and what each turn makes of them."""

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)
        self.rows, self.width = int(rng.choice([1, 2, 5, 9, 40, 67])), int(rng.choice([1, 2, 7, 16, 33]))
        self.turns, self.carried = int(rng.integers(1, 6)), int(rng.integers(1, 4))
        self.backwards = bool(rng.integers(2))
        n, w = self.rows, self.width
        self.matrices = [drawn(w, w, seed=seed + i) / np.float32(w**0.5) for i in range(2)]
        self.fixed = [drawn(*one, seed=seed) for one in [(), (w,), (1, w), (n, w), (n, 1)]]
        self.stacks = [drawn(self.turns, n, w, seed=seed), drawn(self.turns, n, 1, seed=seed + 1)]
        self.masks = [rng.random((self.turns, n, k)) < 0.5 for k in (1, w)]
        self.plan = [int(one) for one in rng.integers(0, 1 << 30, 40)]

    @property
    def arrays(self):
        return [*self.matrices, *self.fixed, *self.stacks, *self.masks]

    def turn(self, state, slices, stays):
        choice = itertools.cycle(self.plan)
        row, thin, *masks = slices
        values = [*state, row, state[0] @ stays[0]]

        def one():
            return values[next(choice) % len(values)]

        for _ in range(10):
            kind = next(choice) % 8
            if kind == 0:
                made = one() @ stays[next(choice) % 2]
            elif kind == 1:
                made = [ps.tanh, ps.nn.sigmoid, ps.nn.relu, ps.square][next(choice) % 4](ps.tanh(one()))
            elif kind == 2:
                made = ps.where(masks[next(choice) % 2], one(), one())
            elif kind == 3:
                made = one() * stays[2 + next(choice) % 5]
            elif kind == 4:
                made = one() * thin
            elif kind == 5 and self.width > 1:
                cut = 1 + next(choice) % (self.width - 1)
                made = ps.concat([part_of(one(), 1, cut, self.width), part_of(one(), 1, 0, cut)], axis=1)
            elif kind == 6:
                made = ps.maximum(one(), one() - 0.1)
            else:
                made = one() - ps.tanh(one())
            values.append(ps.tanh(made))
        after = [ps.tanh(values[-1] @ stays[0] + one()), *(one() for _ in state[1:])]
        return after, [one(), values[-1]]

    def run(self, *arrays):
        matrices, rest = list(arrays[:2]), list(arrays[2:])
        state = [ps.tanh(rest[3] * (i + 1)) for i in range(self.carried)]
        with ps.GradientTape() as tape:
            watched = [*matrices, *rest[:7], *state]
            for tensor in watched:
                tape.watch(tensor)
            stays = [*matrices, *rest[:5]]
            ends, made = ps.scan(lambda c, x: self.turn(c, x, stays), state, rest[5:], reverse=self.backwards)
            loss = sum(ps.sum(one * one) for one in ends) + sum(ps.sum(ps.sin(one)) for one in made)
        gradients = tape.gradient(loss, watched, unconnected_gradients="zero")
        return [*ends, *made, *gradients]


@pytest.mark.parametrize("seed", range(12))
def test_random_loops_and_their_gradients_have_numpys_values(seed, calls):
    loop = Drawn(seed)
    wanted, got = both(loop.run, *loop.arrays)
    for a, b in zip(wanted, got, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-4, atol=1e-5 * max(1.0, float(np.abs(a).max(initial=0))))
    # The way back may have no product.
    assert calls[0]


WEIGHT = drawn(6, 6) / np.float32(2.5)


def test_what_is_carried_may_trade_places(calls):
    def run(x, w):
        def turn(state, row):
            a, b, c = state
            return (b, a, ps.tanh(c @ w + a + row)), (a, c)

        ends, made = ps.scan(turn, (x[0], x[1], ps.zeros_like(x[0])), x)
        return [*ends, *made]

    alike(run, drawn(5, 9, 6), WEIGHT)
    assert calls == [True]


def test_results_may_be_what_was_given_or_the_same_twice(calls):
    def run(x, w):
        def turn(state, row):
            new = ps.tanh(state @ w + row)
            return new, (new, new, row, state, new * row, part_of(new, 1, 2, 5))

        end, made = ps.scan(turn, x[0], x, reverse=True)
        return [end, *made]

    alike(run, drawn(5, 9, 6), WEIGHT)
    assert calls == [True]


def test_a_condition_may_have_one_element_for_each_row(calls):
    """Without the axis of the columns, too, as masks of sequences have none."""

    def run(x, w, mask):
        def turn(state, given):
            row, kept = given
            return ps.where(kept[:, None], ps.tanh(state @ w + row), state), state

        return ps.scan(turn, x[0], (x, mask))

    alike(run, drawn(5, 9, 6), WEIGHT, drawn(5, 9) > 0)
    assert calls == [True]


def test_each_row_is_the_same_whichever_rows_are_computed_with_it():
    """Parts of the rows are computed by threads; a row's bits do not depend on the part."""

    def run(x, w):
        return ps.scan(lambda state, row: (ps.tanh(state @ w + row),) * 2, x[0], x)[1]

    x = drawn(7, 131, 40)
    with use_engine("xla"):
        whole = np.asarray(run(ps.asarray(x), ps.asarray(drawn(40, 40))))
        for rows in (1, 2, 8, 33, 70):
            alone = np.asarray(run(ps.asarray(x[:, :rows].copy()), ps.asarray(drawn(40, 40))))
            assert np.array_equal(alone, whole[:, :rows])


def test_sums_over_rows_and_turns_are_taken_after_the_loop(calls):
    """The gradients of weights in a loop whose rows are masked."""
    layer = ps.layers.LSTM(5)
    layer.build((None, None, 4))
    given = [one.numpy() for one in layer.weights]

    def run(x, mask, *weights):
        for variable, value in zip(layer.weights, weights, strict=True):
            variable.assign(value)
        with ps.GradientTape() as tape:
            loss = ps.sum(layer(x, mask=mask) ** 2)
        return tape.gradient(loss, layer.weights)

    alike(run, drawn(9, 7, 4), drawn(9, 7) > 0, *given)
    assert calls == [True, True]


@pytest.mark.parametrize("keepdims", [False, True])
def test_a_sum_of_all_elements_may_keep_its_axes(keepdims, calls):
    def run(x, w):
        def turn(state, row):
            h, total = state
            return (ps.tanh(h @ w + row), total + -ps.sum(row, axis=(0, 1), keepdims=keepdims)), None

        start = ps.zeros((1, 1) if keepdims else ())
        return ps.scan(turn, (x[0], start), x)[0]

    alike(run, drawn(5, 9, 6), WEIGHT, rtol=1e-5, atol=1e-5)
    assert calls == [True]


MIXED = {
    "a mean over the rows": lambda s, x, w: s @ w + ps.mean(x, axis=0),
    "another order of the rows": lambda s, x, w: ps.flip(s @ w, axis=(0,)) + x,
    "a product with the rows on the other side": lambda s, x, w: x @ s.T @ s @ w,
    "a matrix that is carried": lambda s, x, w: s @ s.T @ x @ w,
    "an operation that C does not have": lambda s, x, w: ps.sin(s @ w) + x,
    "a maximum of each row": lambda s, x, w: s @ w - ps.max(x, axis=1, keepdims=True),
}


@pytest.mark.parametrize("name", MIXED)
def test_other_loops_are_left_to_xla(name, calls):
    def run(x, w):
        return ps.scan(lambda s, row: (ps.tanh(MIXED[name](s, row, w)), None), x[0], x)[:1]

    alike(run, drawn(5, 6, 6), WEIGHT)
    assert calls == [False]


@pytest.mark.parametrize("dtype", ["float64", "bfloat16", "int32"])
def test_other_dtypes_are_left_to_xla(dtype, calls):
    def run(x, w):
        x, w = ps.astype(x, dtype), ps.astype(w, dtype)
        return ps.astype(ps.scan(lambda s, row: (s @ w + row, None), x[0], x)[0], "float32")[None]

    alike(run, drawn(5, 6, 6), WEIGHT, rtol=0.1, atol=0.1)
    assert calls == [False]


def test_a_loop_without_a_product_or_turns_is_left_to_xla(calls):
    alike(lambda x: ps.scan(lambda s, row: (ps.tanh(s + row), None), x[0], x)[:1], drawn(5, 6, 6))
    alike(lambda x, w: ps.scan(lambda s, row: (s @ w, None), x[0], x[:0])[:1], drawn(5, 6, 6), WEIGHT)
    assert calls == [False, False]


SCRIPT = """
import numpy as np
import penstock as ps
layer = ps.layers.GRU(8, recurrent_initializer="ones", kernel_initializer="ones")
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = ps.sum(layer(ps.ones((3, 5, 2))))
    print(loss.numpy(), *[ps.sum(one).numpy() for one in tape.gradient(loss, layer.trainable_weights)])
"""


def test_executables_on_disk_call_it_in_the_next_process(tmp_path):
    first = printed(SCRIPT, tmp_path, PENSTOCK_ENGINE="xla")
    kept = set(tmp_path.iterdir())
    assert any(row_loops.TARGET.encode() in path.read_bytes() for path in kept)
    assert printed(SCRIPT, tmp_path, PENSTOCK_ENGINE="xla") == first and set(tmp_path.iterdir()) == kept
    # Without the part in C, the files are not looked for.
    plain = printed(SCRIPT, tmp_path, PENSTOCK_ENGINE="xla", PENSTOCK_PURE="1")
    assert set(tmp_path.iterdir()) > kept
    np.testing.assert_allclose(
        np.array(plain.split(), float), np.array(first.split(), float), rtol=1e-5
    )  # fmt: skip
