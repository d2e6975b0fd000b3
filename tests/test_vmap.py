"""vmap: batching rules of every primitive, axes, structures, derivatives, random numbers, refusals, costs."""

import functools
import itertools
import linecache

import numpy as np
import pytest

import penstock as ps
from comparing import close
from counting import count_compilations, launches, rules
from penstock import random
from penstock.ops import batching
from penstock.ops.table import complete
from penstock.testing import assert_close, use_engine
from penstock.tiers.program import many
from penstock.trace.local import local
from penstock.trace.tree import tree
from samples import drawn

SIZE = 3
table = complete()
KEYED = {*batching.DRAWS, table["fold_in"]}
"""Each example of these gets different numbers even if it shares the key: see the test of each."""
BATCHED = [pytest.param(p, id=p.name) for p in table.values() if p.name != "arange"]
SMOOTH = [one for one in BATCHED if one.values[0].derivative == "smooth"]


def varied(operand, rng):
    """A few operands like one: slightly different floats, or integers and booleans in another order."""
    if operand.dtype.kind == "f":
        return np.stack([operand * scale for scale in (1.0, 0.9375, 1.0625)])
    flat = operand.reshape(-1)
    return np.stack([rng.permutation(flat).reshape(operand.shape) for _ in range(SIZE)])


def batches(p):
    """Of each sample and each choice of operands with an axis more: parameters, operands, axes."""
    rng = np.random.default_rng(0)
    for operands, params in drawn(p):
        for count in range(1, len(operands) + 1):
            for active in itertools.combinations(range(len(operands)), count):
                if p in KEYED and 0 not in active:
                    continue
                batch = [varied(one, rng) if i in active else one for i, one in enumerate(operands)]
                yield params, batch, [0 if i in active else None for i in range(len(operands))]


def one_after_the_other(f, batch, axes):
    """The results of f for each example, stacked."""
    results = []
    for n in range(SIZE):
        result = f(*(ps.asarray(one if axis is None else one[n]) for one, axis in zip(batch, axes)))
        results.append([one.numpy() for one in result])
    return [np.stack(parts) for parts in zip(*results)]


def alone(p, params):
    return lambda *given: (p(*given, **params),)


@pytest.mark.parametrize("p", BATCHED)
def test_a_batch_is_one_example_after_the_other(p):
    with use_engine("numpy"):
        for params, batch, axes in batches(p):
            f = alone(p, params)
            (found,) = ps.vmap(f, in_axes=axes)(*map(ps.asarray, batch))
            (want,) = one_after_the_other(f, batch, axes)
            assert found.dtype == want.dtype
            close(found, want, rtol=1e-12, atol=1e-12)


ELEMENTWISE = batching.rules[table["cast"]].__code__
IN_XLA = [
    one for one in BATCHED
    if batching.rules[one.values[0]].__code__ is not ELEMENTWISE or one.id in ("cast", "add", "where")
]  # fmt: skip
"""Elementwise rules are all the same one."""


def drawn_by_key(p):
    rules = {batching.rules[table[name]].__code__ for name in ("philox_bits", "philox_gamma")}
    return getattr(batching.rules.get(p), "__code__", None) in rules


def a_few(p):
    """Some batches of a primitive: compiling takes its time. Of draws those that are equal in both tiers, and
    two of them: their code is long, and they have two rules in all."""
    found = [one for one in batches(p) if p not in batching.DRAWS or one[0].get("dtype") != np.float64]
    return found[:: max(1, len(found) // (2 if drawn_by_key(p) else 4))]


GROUPS = 6
"""How many programs the rules are compiled as."""


def group_of(name):
    return [one.id for one in IN_XLA].index(name) % GROUPS


@functools.cache
def batches_in_xla(group):
    """The results of each primitive of a group for its batches, run by XLA as one program."""
    with use_engine("xla"), ps.GradientTape(watch_accessed_variables=False) as tape:
        found = {
            p.name: [
                ps.vmap(alone(p, params), in_axes=axes)(*map(ps.asarray, batch))[0]
                for params, batch, axes in a_few(p)
            ]
            for (p,) in (one.values for one in IN_XLA if group_of(one.id) == group)
        }
        tape.reset()
        ps.wait()
    return found


@pytest.mark.parametrize("p", IN_XLA)
def test_rules_hold_in_xla(p):
    found = batches_in_xla(group_of(p.name))[p.name]
    with use_engine("numpy"):
        for one, (params, batch, axes) in zip(found, a_few(p), strict=True):
            assert_close(one, one_after_the_other(alone(p, params), batch, axes)[0], f"{p.name}{params}")


def slopes(p, params, places):
    """The gradients of a weighted sum of a primitive's result by some operands."""

    def function(*given):
        def total(*moved):
            own = list(given)
            for place, one in zip(places, moved):
                own[place] = one
            result = p(*own, **params)
            if result.dtype.kind == "c":
                result = ps.real(result) + 0.5 * ps.imag(result)
            weights = np.cos(np.arange(result.size, dtype=result.dtype)).reshape(result.shape)
            return ps.sum(result * weights)

        return ps.grad(total, argnums=tuple(range(len(places))))(*(given[place] for place in places))

    return function


def real_places(batch):
    return [i for i, one in enumerate(batch) if one.dtype == np.float64]


@functools.cache
def gradients_of_each(p):
    """The batches of a primitive with real operands: where these are, and the gradients of each example."""
    found = []
    # The gradients of elementwise primitives are made of the same few rules.
    alike = getattr(batching.rules.get(p), "__code__", None) is ELEMENTWISE
    for params, batch, axes in a_few(p) if alike else batches(p):
        if places := real_places(batch):
            wants = one_after_the_other(slopes(p, params, places), batch, axes)
            found.append((params, batch, axes, places, wants))
    return found


@pytest.mark.parametrize("p", SMOOTH)
def test_a_batch_of_gradients_is_one_after_the_other(p):
    with use_engine("numpy"):
        for params, batch, axes, places, wants in gradients_of_each(p):
            found = ps.vmap(slopes(p, params, places), in_axes=axes)(*map(ps.asarray, batch))
            for one, want in zip(found, wants, strict=True):
                close(one, want, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("p", SMOOTH)
def test_a_gradient_through_a_batch_is_that_of_each_example(p):
    with use_engine("numpy"):
        for params, batch, axes, places, wants in gradients_of_each(p):

            def total(*given, params=params, axes=axes):
                result = ps.vmap(lambda *own: p(*own, **params), in_axes=axes)(*given)
                if result.dtype.kind == "c":
                    result = ps.real(result) + 0.5 * ps.imag(result)
                shape = result.shape[1:]
                weights = np.cos(np.arange(int(np.prod(shape)), dtype=result.dtype)).reshape(shape)
                return ps.sum(result * weights)

            found = ps.grad(total, argnums=tuple(places))(*map(ps.asarray, batch))
            for one, want, place in zip(found, wants, places, strict=True):
                close(one, want if axes[place] == 0 else want.sum(0), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("p", BATCHED)
def test_a_batch_of_batches(p):
    """The inner batch has all operands that the outer one has, and one more."""
    rng = np.random.default_rng(5)
    with use_engine("numpy"):
        for params, batch, axes in batches(p):
            if p in KEYED and len(batch) > 1 and None in axes:
                continue
            more = [np.stack([one, one[::-1]]) if axis == 0 else np.stack([one, varied(one, rng)[1]])
                    for one, axis in zip(batch, axes)]  # fmt: skip
            f = alone(p, params)
            (found,) = ps.vmap(ps.vmap(f, in_axes=axes))(*map(ps.asarray, more))
            rows = [one_after_the_other(f, [one[n] for one in more], axes)[0] for n in range(2)]
            close(found, np.stack(rows), rtol=1e-12, atol=1e-12)


@pytest.mark.filterwarnings("ignore:sin has no batching rule")
def test_a_primitive_without_a_rule_is_looped_over(tier, monkeypatch):
    monkeypatch.delitem(batching.rules, table["sin"])
    x = ps.asarray(np.linspace(0.0, 1.0, 6).reshape(3, 2))
    close(ps.vmap(lambda row: ps.sum(ps.sin(row) * row))(x), (np.sin(x.numpy()) * x.numpy()).sum(1))
    slope = ps.vmap(ps.grad(lambda row: ps.sum(ps.sin(row))))(x)
    close(slope, np.cos(x.numpy()))


def test_a_loop_over_examples_is_reported_once_on_the_users_line(monkeypatch):
    monkeypatch.delitem(batching.rules, table["cos"])
    x = ps.ones((3, 2))

    def turned(row):
        return ps.cos(row) * row  # here

    with pytest.warns(UserWarning, match="cos has no batching rule: a loop runs the 3 examples") as told:
        for _ in range(2):
            ps.vmap(turned)(x).numpy()
    assert len(told) == 1
    assert "# here" in linecache.getline(told[0].filename, told[0].lineno)


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


def test_operands_without_a_batch_are_broadcast(tier):
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


def test_vmap_of_a_custom_gradient(tier):
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
        random.seed(11)
        noisy = ps.vmap(lambda x: x + random.normal((2,)))
        return noisy(ps.zeros((4, 2))).numpy(), noisy(ps.zeros((4, 2))).numpy()

    first, second = draw()
    assert len({row.tobytes() for row in [*first, *second]}) == 8
    again = draw()
    assert np.array_equal(first, again[0]) and np.array_equal(second, again[1])


def test_random_numbers_of_a_checkpoint_in_a_batch_are_the_same_on_the_way_back(tier):
    w = ps.Variable(np.ones(50))
    f = ps.vmap(ps.checkpoint(lambda x: x * w * ps.astype(random.uniform((50,)) < 0.5, "float64")))
    with ps.GradientTape() as tape:
        y = f(ps.ones((3, 50), dtype="float64"))
        loss = ps.sum(y)
    close(tape.gradient(loss, w), y.numpy().sum(0))
    assert len({row.tobytes() for row in y.numpy()}) == 3


def test_each_example_has_its_own_order(tier):
    random.seed(11)
    mixed = ps.vmap(lambda x: random.permutation(20) + 0 * x)(ps.zeros(3, dtype="int64")).numpy()
    assert len({row.tobytes() for row in mixed}) == 3
    assert np.array_equal(np.sort(mixed, axis=1), [np.arange(20)] * 3)


@pytest.mark.parametrize("turns", [[1, 2, 4, 0], [3, 3, 3, 3]])
def test_each_example_draws_its_own_numbers_in_a_loop_with_its_own_length(tier, turns):
    def total(n):
        def turn(carry):
            i, drawn = carry
            return i + 1, drawn.at[i].set(random.uniform(()))

        return ps.while_loop(lambda carry: carry[0] < n, turn, (0, ps.zeros(4)))[1]

    def draw():
        random.seed(12)
        return ps.vmap(total)(ps.asarray(turns)).numpy()

    found = draw()
    drawn = found[found != 0.0]
    assert len(drawn) == sum(turns) == len(set(drawn.tolist()))
    assert np.array_equal(found, draw())


def test_keys_of_the_examples_give_what_each_key_gives(tier):
    random.seed(13)
    keys = random.split(random.key(), 3)

    def drawn(key):
        one, other = random.split(key)
        return (
            random.normal((2,), key=one),
            random.integers((), 0, 100, key=other),
            random.permutation(5, key=key),
        )

    found = ps.vmap(drawn)(ps.stack(keys))
    for part, want in zip(found, zip(*map(drawn, keys)), strict=True):
        assert np.array_equal(part.numpy(), np.stack([one.numpy() for one in want]))


# -- refusals -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: ps.vmap(ps.add)(ps.zeros(3), ps.zeros(4)), "there are 3 and 4 examples"),
        (lambda: ps.vmap(ps.sin)(ps.asarray(1.0)), "has no axis 0"),
        (lambda: ps.vmap(ps.sin, in_axes=2)(ps.zeros((3, 3))), "has no axis 2"),
        (lambda: ps.vmap(ps.add, in_axes=(0,))(ps.zeros(3), ps.zeros(3)), "in_axes is"),
        (lambda: ps.vmap(ps.add, in_axes=None)(ps.zeros(3), ps.zeros(3)), "no argument has a batch axis"),
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


# -- examples that go different ways ------------------------------------------------------------------------


def test_a_guard_refuses_nothing_of_an_example_that_goes_the_other_way(tier):
    x = ps.asarray([1.0, 2.0, 4.0])

    def one(i):
        return ps.cond(i < 3, lambda: ps.take(x, i, axis=0) * 10.0, lambda: -1.0)

    close(ps.vmap(one)(ps.asarray([0, 7, 2])), [10.0, -1.0, 40.0])
    slope = ps.vmap(ps.grad(lambda v, i: ps.cond(i < 3, lambda: v * ps.take(x, i, axis=0), lambda: v)))
    close(slope(ps.zeros(3), ps.asarray([0, 7, 2])), [1.0, 1.0, 4.0])
    for wrong in (-7, 3):
        with pytest.raises(ps.errors.RangeError, match=f"index {wrong}"):
            ps.vmap(lambda i: ps.cond(i < 4, lambda: ps.take(x, i, axis=0), lambda: 0.0))(
                ps.asarray([0, wrong])
            ).numpy()


@pytest.mark.parametrize("inner", ["scan", "cond", "checkpoint", "while_loop", "jit"])
def test_a_guard_inside_a_program_inside_a_branch(tier, inner):
    x = ps.asarray([1.0, 2.0, 4.0])

    def picked(i):
        if inner == "scan":
            return ps.scan(lambda c, j: (c + ps.take(x, i, axis=0), None), 0.0, length=2)[0]
        if inner == "cond":
            return ps.cond(ps.sum(x) > 0.0, lambda: ps.take(x, i, axis=0) * 2.0, lambda: 0.0)
        if inner == "checkpoint":
            return ps.checkpoint(lambda j: ps.take(x, j, axis=0) * 2.0)(i)
        if inner == "while_loop":
            return ps.while_loop(
                lambda c: c[0] < 2, lambda c: (c[0] + 1, c[1] + ps.take(x, i, axis=0)), (0, 0.0)
            )[1]
        return ps.take(ps.sum(ps.stack([x, x]), axis=0), i, axis=0)

    found = ps.vmap(lambda i: ps.cond(i < 3, lambda: picked(i), lambda: -1.0))(ps.asarray([0, 9, 2]))
    close(found, [2.0, -1.0, 8.0])


def test_an_example_that_is_through_is_refused_nothing(tier):
    x = ps.asarray([1.0, 2.0, 4.0])

    def total(n):
        return ps.while_loop(
            lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] + ps.take(x, c[0] - 5, axis=0)), (5, 0.0)
        )[1]

    close(ps.vmap(total)(ps.asarray([8, 5, 6])), [7.0, 0.0, 1.0])
    with pytest.raises(ps.errors.RangeError, match="index 3"):
        ps.vmap(total)(ps.asarray([8, 9])).numpy()


def test_a_loop_that_would_not_end_for_examples_that_go_the_other_way(tier):
    def doubled(x):
        return ps.while_loop(lambda v: v < 10.0, lambda v: v * 2.0, x)

    found = ps.vmap(lambda x: ps.cond(x > 0.0, lambda: doubled(x), lambda: x))(ps.asarray([1.0, 0.0, -3.0]))
    close(found, [16.0, 0.0, -3.0])


# -- cost ---------------------------------------------------------------------------------------------------


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


def operations(f, *operands):
    """How many operations stand in the program of f, those of programs inside counted once."""
    with use_engine("numpy"):
        f(*operands)
        node = local.trace.node

        def count(calls):
            return sum(1 + sum(count(one.calls) for one in inside(call)) for call in calls)

        def inside(call):
            params = {name: value for name, value in call.params.items() if name != "output"}
            return call.primitive.bodies(**params) if many(call) else ()

        found = count(node.program())
        ps.wait()
    return found


PROGRAMS = {
    "solve": lambda n: (lambda b: ps.linalg.solve(ps.eye(n) * 2.0 + ps.ones((n, n)), b), (n,)),
    "inverse": lambda n: (lambda a: ps.linalg.inv(a + ps.eye(n) * 3.0), (n, n)),
    "cholesky": lambda n: (lambda a: ps.linalg.cholesky(a @ a.T + ps.eye(n)), (n, n)),
    "eigh": lambda n: (lambda a: ps.linalg.eigvalsh(a + ps.eye(n) * ps.arange(n, dtype="float32")), (n, n)),
    "fft": lambda n: (lambda x: ps.abs(ps.fft.rfft(x)), (2 * n,)),
    "sort": lambda n: (lambda x: ps.sort(x) ** 2, (n,)),
    "scatter": lambda n: (lambda x: ps.zeros(n).at[ps.arange(n - 1, -1, -1)].add(x) ** 2, (n,)),
    "segments": lambda n: (lambda x: ps.segments.segment_max(x, ps.arange(n) // 2, (n + 1) // 2) ** 2, (n,)),
    "convolution": lambda n: (lambda x: ps.nn.max_pool(x[None, :, :, None], 2) ** 2, (2 * n, 4)),
    "cumulative": lambda n: (lambda x: ps.cumulative_sum(x * x), (n,)),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("error")
def test_a_jacobian_takes_as_many_operations_however_many_outputs_there_are(name):
    counts = []
    for n in (5, 6, 8):
        f, shape = PROGRAMS[name](n)
        x = ps.asarray(np.random.default_rng(n).standard_normal(shape).astype(np.float32))
        counts.append(operations(ps.jacobian(f), x))
    assert len(set(counts)) == 1, counts


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_jacobian_is_one_launch_and_the_one_by_rows(name):
    f, shape = PROGRAMS[name](5)
    x = ps.Variable(np.random.default_rng(3).standard_normal(shape))
    with use_engine("xla"):
        with ps.GradientTape(persistent=True) as tape:
            y = f(x)
        want = tape.jacobian(y, x, experimental_use_pfor=False).numpy()
        for _ in range(2):
            ps.wait()
            before = launches()
            found = ps.jacobian(f)(x)
            ps.wait(found)
            assert launches() - before == 1
        close(found, want, rtol=1e-8, atol=1e-8)
