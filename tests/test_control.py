"""Control flow inside programs: values, derivatives, reasons, random numbers, refusals, costs, both tiers."""

import numpy as np
import pytest

import penstock as ps
from comparing import close
from counting import count_compilations, launches, rules
from penstock import tensorflow as tf
from penstock.testing import check_grads, use_engine
from penstock.trace.tree import tree


def float64(*values):
    return [ps.asarray(np.asarray(one, np.float64)) for one in values]


# -- programs, each with its oracle: plain Python over the same operations ----------------------------------


def rnn(w, x):
    def turn(h, row):
        h = ps.tanh(h @ w + row)
        return h, ps.sum(h * h)

    return ps.scan(turn, ps.zeros((3,), dtype="float64"), x)


def rnn_by_hand(w, x):
    h, ys = ps.zeros((3,), dtype="float64"), []
    for i in range(x.shape[0]):
        h = ps.tanh(h @ w + x[i])
        ys.append(ps.sum(h * h))
    return h, ps.stack(ys)


def backwards(w, x):
    return ps.scan(lambda c, row: (c * 0.5 + row @ w, ps.sin(c)), x[0] * 1.0, x, reverse=True)


def backwards_by_hand(w, x):
    c, ys = x[0] * 1.0, []
    for i in reversed(range(x.shape[0])):
        ys.append(ps.sin(c))
        c = c * 0.5 + x[i] @ w
    return c, ps.stack(ys[::-1])


def counted(w, x):
    """A carry of several kinds: a counter, a matrix and a vector that stays."""

    def turn(carry, _):
        i, m, v = carry
        return (i + 1, m @ w * (1.0 + ps.astype(i, "float64")), v), (i, ps.sum(m, axis=0) * v)

    (i, m, v), ys = ps.scan(turn, (0, x[:3] * 1.0, x[0]), length=3)
    return ps.astype(i, "float64"), m, v, ys[1]


def counted_by_hand(w, x):
    m, v, ys = x[:3] * 1.0, x[0], []
    for i in range(3):
        ys.append(ps.sum(m, axis=0) * v)
        m = m @ w * (1.0 + i)
    return ps.asarray(np.float64(3.0)), m, v, ps.stack(ys)


def chosen(w, x):
    s = ps.sum(w)
    a = ps.cond(s > 0.0, lambda x: ps.sin(x) * w[0, 0], lambda x: ps.exp(x) * s, x)
    b = ps.cond(s < 0.0, lambda: (x * x, w), lambda: (x * 3.0, w * w))
    return a, *b


def chosen_by_hand(w, x):
    positive = float(ps.sum(w)) > 0.0
    s = ps.sum(w)
    a = ps.sin(x) * w[0, 0] if positive else ps.exp(x) * s
    return (a, x * 3.0, w * w) if positive else (a, x * x, w * 1.0)


def mapped(w, x):
    return ps.map(lambda pair: {"p": ps.sum(pair[0] @ w), "q": pair[1] * 2.0}, (x, x[:, 0]))


def mapped_by_hand(w, x):
    return {"p": ps.sum(x @ w, axis=1), "q": x[:, 0] * 2.0}


def repeated(w, x):
    return ps.while_loop(
        lambda c: ps.sum(c[1] * c[1]) < 40.0,
        lambda c: (c[0] + 1.0, c[1] @ w + x[0]),
        (0.0, x[1] * 1.0),
        max_iterations=9,
    )


def repeated_by_hand(w, x):
    i, v = 0.0, x[1] * 1.0
    while float(ps.sum(v * v)) < 40.0 and i < 9:
        i, v = i + 1.0, v @ w + x[0]
    return ps.asarray(np.float32(i)), v


def in_one_another(w, x):
    """A choice in a loop in a map, over values from outside."""

    def row(one):
        def turn(c, k):
            c = ps.cond(ps.sum(c) > 0.5, lambda: ps.tanh(c @ w), lambda: c * k + one)
            return c, None

        return ps.scan(turn, one * 0.1, ps.asarray([1.0, 2.0, -0.5], dtype="float64"))[0]

    return ps.map(row, x)


def in_one_another_by_hand(w, x):
    rows = []
    for n in range(x.shape[0]):
        c = x[n] * 0.1
        for k in (1.0, 2.0, -0.5):
            c = ps.tanh(c @ w) if float(ps.sum(c)) > 0.5 else c * k + x[n]
        rows.append(c)
    return ps.stack(rows)


PROGRAMS = {
    "rnn": (rnn, rnn_by_hand),
    "backwards": (backwards, backwards_by_hand),
    "counted": (counted, counted_by_hand),
    "chosen": (chosen, chosen_by_hand),
    "mapped": (mapped, mapped_by_hand),
    "repeated": (repeated, repeated_by_hand),
    "in one another": (in_one_another, in_one_another_by_hand),
}
RNG = np.random.default_rng(5)
W, X = RNG.standard_normal((3, 3)) * 0.7, RNG.standard_normal((4, 3))


def leaves(structure):
    if isinstance(structure, dict):
        return [leaf for one in structure.values() for leaf in leaves(one)]
    return (
        [leaf for one in structure for leaf in leaves(one)] if isinstance(structure, tuple) else [structure]
    )


def weighed(f):
    """A scalar of everything a program gives."""

    def total(w, x):
        terms = [ps.sum(ps.astype(one, "float64") * (1.0 + i)) for i, one in enumerate(leaves(f(w, x)))]
        return sum(terms[1:], terms[0])

    return total


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_values_and_gradients_are_those_of_plain_python(tier, name, sign):
    program, by_hand = PROGRAMS[name]
    w, x = float64(W * sign, X)
    for found, want in zip(leaves(program(w, x)), leaves(by_hand(w, x)), strict=True):
        assert found.dtype == want.dtype
        close(found, want, rtol=1e-12, atol=1e-14)
    found, want = (ps.grad(weighed(f), argnums=(0, 1))(w, x) for f in (program, by_hand))
    for a, b in zip(found, want, strict=True):
        close(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", PROGRAMS)
def test_second_order_is_that_of_plain_python(tier, name):
    program, by_hand = PROGRAMS[name]
    w, x = float64(W, X[:3])
    found, want = (ps.hessian(weighed(f))(w, x) for f in (program, by_hand))
    if want is None:
        # The program by hand takes one branch; here the other one might have contributed.
        assert found is None or not found.numpy().any()
        return
    close(found, want, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("name", ["rnn", "chosen", "repeated", "in one another"])
def test_derivatives_against_differences(name):
    with use_engine("numpy"):
        check_grads(weighed(PROGRAMS[name][0]), W, X, order=2)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_in_a_batch(tier, name):
    """vmap over loops and choices whose examples take different branches."""
    program, _ = PROGRAMS[name]
    x = ps.asarray(X)
    w = ps.asarray(np.stack([W, -W, 0.5 * W]))
    found = leaves(ps.vmap(program, in_axes=(0, None))(w, x))
    one_by_one = [leaves(program(w[i], x)) for i in range(3)]
    for place, stacked in enumerate(found):
        close(stacked, np.stack([one[place].numpy() for one in one_by_one]), rtol=1e-10, atol=1e-12)
    slopes = ps.vmap(ps.grad(weighed(program)), in_axes=(0, None))(w, x)
    close(
        slopes,
        np.stack([ps.grad(weighed(program))(w[i], x).numpy() for i in range(3)]),
        rtol=1e-9,
        atol=1e-11,
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_jvp_and_jacobian_of_programs(tier, name):
    program, by_hand = PROGRAMS[name]
    w, x, dw = *float64(W, X), RNG.standard_normal((3, 3))
    for (found, want) in zip(
        leaves(ps.jvp(lambda w: program(w, x), w, dw)[1]), leaves(ps.jvp(lambda w: by_hand(w, x), w, dw)[1]),
        strict=True,
    ):  # fmt: skip
        assert (found is None) == (want is None)
        if found is not None:
            close(found, want, rtol=1e-9, atol=1e-11)


def test_a_checkpointed_loop(tier):
    w, x = float64(W, X)
    found = ps.grad(weighed(ps.checkpoint(rnn)))(w, x)
    close(found, ps.grad(weighed(rnn_by_hand))(w, x), rtol=1e-10)
    body = ps.checkpoint(lambda h, row: ps.tanh(h @ w + row))
    looped = ps.grad(lambda x: ps.sum(ps.scan(lambda h, r: (body(h, r), None), x[0] * 0.0, x)[0]))(x)
    close(looped, ps.grad(lambda x: ps.sum(rnn_by_hand(w, x)[0]))(x), rtol=1e-10)


# -- variables, tapes, numbers ----------------------------------------------------------------------------


def test_variables_and_tensors_seen_inside_get_gradients(tier):
    w, b = ps.Variable(2.0), ps.Variable(1.0)
    scale = ps.asarray(3.0)
    with ps.GradientTape(persistent=True) as tape:
        tape.watch(scale)
        shifted = b * 10.0
        total, _ = ps.scan(lambda c, x: (c * w + x * scale + shifted, None), 0.0, ps.asarray([1.0, 2.0]))
        y = ps.cond(total > 0.0, lambda: total * w, lambda: b)
    # total = (3 + 10b) w + 6 + 10b
    assert float(y) == 2.0 * (13.0 * 2.0 + 16.0)
    by_w, by_b, by_scale = tape.gradient(y, [w, b, scale])
    assert float(by_w) == 42.0 + 2.0 * 13.0 and float(by_b) == 2.0 * 30.0 and float(by_scale) == 2.0 * 4.0


def test_a_tape_inside_a_body(tier):
    """Gradient descent as a loop that is part of the program, and a gradient through it."""

    def descend(rate, x0):
        def turn(x, _):
            with ps.GradientTape() as tape:
                tape.watch(x)
                loss = (x - 3.0) ** 2
            return x - rate * tape.gradient(loss, x), loss

        return ps.scan(turn, x0, length=3)

    x, losses = descend(ps.asarray(0.1), ps.asarray(0.0))
    close(x, 3.0 - 3.0 * 0.8**3, rtol=1e-6)
    close(losses, [(3.0 * 0.8**i) ** 2 for i in range(3)], rtol=1e-6)
    # d/dr of 3 - 3 (1 - 2r)^3
    close(ps.grad(lambda r: descend(r, ps.asarray(0.0))[0])(0.1), 18.0 * 0.8**2, rtol=1e-5)


def test_python_numbers_take_the_dtype_they_meet(tier):
    x = ps.asarray([1.0, 2.0], dtype="float64")
    total, _ = ps.scan(lambda c, v: (c + v, None), 0, x)
    assert total.dtype == np.float64 and float(total) == 3.0
    assert ps.cond(x[0] > 5.0, lambda: x[0], lambda: 0).dtype == np.float64
    assert float(ps.while_loop(lambda c: c < 10.0, lambda c: c * x[1], 1)) == 16.0


def test_a_condition_may_be_a_python_bool_or_a_number(tier):
    assert ps.cond(True, lambda: "yes", lambda: 1 / 0) == "yes"
    assert float(ps.cond(ps.asarray(2), lambda: 1.0, lambda: 0.0)) == 1.0
    assert float(ps.cond(ps.asarray(0.0), lambda: 1.0, lambda: 0.0)) == 0.0


def test_loops_of_no_turns(tier):
    c, ys = ps.scan(lambda c, x: (c + x, c * 2.0), 5.0, ps.zeros((0,)))
    assert float(c) == 5.0 and ys.shape == (0,)
    slope = ps.grad(lambda c: ps.scan(lambda c, x: (c + x, c), c, ps.zeros((0,)))[0])(5.0)
    assert float(slope) == 1.0
    assert float(ps.while_loop(lambda c: c < 0.0, lambda c: c + 1.0, 5.0)) == 5.0
    assert (
        float(
            ps.grad(lambda c: ps.while_loop(lambda c: c < 0.0, lambda c: c * 9.0, c, max_iterations=4))(5.0)
        )
        == 1.0
    )


def test_only_one_way_is_computed():
    """A logarithm of nothing in the way not taken leaves no NaN in value or gradient."""
    for engine in ("numpy", "xla"):
        with use_engine(engine):
            f = ps.grad(lambda x: ps.cond(x > 0.0, lambda: ps.log(x), lambda: x * 2.0))
            assert float(f(0.0)) == 2.0 and float(f(4.0)) == 0.25


# -- random numbers -----------------------------------------------------------------------------------------


def test_each_turn_draws_again_and_reproducibly(tier):
    def draw():
        ps.random.seed(3)
        rows = ps.scan(lambda c, _: (c, ps.random.normal((2,))), 0.0, length=5)[1].numpy()
        more = ps.map(lambda x: x + ps.random.uniform(()), ps.zeros(4)).numpy()
        plain = ps.random.normal((2,)).numpy()
        return rows, more, plain

    rows, more, plain = draw()
    assert len({row.tobytes() for row in [*rows, plain]}) == 6 and len(set(more)) == 4
    for found, again in zip((rows, more, plain), draw(), strict=True):
        assert np.array_equal(found, again)


def test_random_numbers_are_the_same_in_both_tiers_and_on_the_way_back():
    found = []
    for engine in ("numpy", "xla"):
        with use_engine(engine):
            ps.random.seed(9)
            w = ps.Variable(np.float64(1.5))

            def turn(c, _):
                noise = ps.random.normal((3,), dtype="float64")
                return c, noise * w  # noqa: B023

            with ps.GradientTape() as tape:
                ys = ps.scan(turn, 0.0, length=4)[1]
                loss = ps.sum(ys)
            close(tape.gradient(loss, w), ys.numpy().sum() / 1.5, rtol=1e-12)
            found.append(ys.numpy())
    close(found[0], found[1], rtol=1e-12)


def test_a_captured_step_draws_again_in_its_loops(tier):
    @ps.step
    def noisy(x):
        return ps.map(lambda v: v + ps.random.normal(()), x)

    ps.random.seed(4)
    first = [noisy(ps.zeros((3,))).numpy() for _ in range(3)]
    assert len(set(np.concatenate(first))) == 9
    ps.random.seed(4)
    close(np.stack([noisy(ps.zeros((3,))).numpy() for _ in range(3)]), np.stack(first))


def test_a_walk_of_open_length_draws_again(tier):
    ps.random.seed(1)
    count, total = ps.while_loop(
        lambda c: c[1] < 3.0, lambda c: (c[0] + 1, c[1] + ps.random.uniform(())), (0, 0.0)
    )
    assert 4 <= int(count) <= 30 and 3.0 <= float(total) < 4.0
    ps.random.seed(1)
    bounded = ps.while_loop(
        lambda c: c[1] < 3.0, lambda c: (c[0] + 1, c[1] + ps.random.uniform(())), (0, 0.0), max_iterations=50
    )
    assert int(bounded[0]) == int(count)
    close(bounded[1], total)


# -- reasons ------------------------------------------------------------------------------------------------


def test_reasons_inside_a_body_name_the_line(tier):
    w, u = ps.Variable(2.0, name="w"), ps.Variable(1.0, name="u")
    with ps.GradientTape(persistent=True) as tape:

        def body(c, x):
            held = ps.stop_gradient(c * w)
            return held + x * u, ps.round(c * u)

        c, ys = ps.scan(body, 1.0, ps.ones((3,)))
        total = ps.sum(ys)
    line = body.__code__.co_firstlineno
    assert tape.gradient(c, w) is None and tape.gradient(c, u) is not None
    answer = ps.explain(c, w)
    assert (answer.reason, answer.cut.file, answer.cut.line) == ("stopped", __file__, line + 1)
    assert ps.explain(c, u).reason == "flows"
    assert tape.gradient(total, u) is None
    answer = ps.explain(total, u)
    assert (answer.reason, answer.cut.line) == ("flat", line + 2) and "round" in answer.fix


def test_reasons_through_a_choice(tier):
    x, y, flag = ps.Variable(2.0, name="x"), ps.Variable(3.0, name="y"), ps.Variable(1.0, name="flag")
    with ps.GradientTape(persistent=True) as tape:
        z = ps.cond(flag > 0.0, lambda: x * 2.0, lambda: ps.stop_gradient(y))
    assert tape.gradient(z, [y, flag]) == [None, None]
    assert ps.explain(z, x).reason == "flows"
    assert ps.explain(z, y).reason == "stopped" and ps.explain(z, flag).reason == "discrete"


def test_values_that_no_result_uses_are_unused(tier):
    a, b = ps.Variable(1.0, name="a"), ps.Variable(1.0, name="b")
    with ps.GradientTape(persistent=True) as tape:
        left, right = ps.cond(ps.asarray(True), lambda: (a * 2.0, b * 3.0), lambda: (a, b))
    assert tape.gradient(left, b) is None
    assert ps.explain(left, b).reason in ("unused", "dead_end")
    assert float(tape.gradient(right, b)) == 3.0


def test_no_gradient_passes_a_loop_of_open_length_and_it_says_why(tier):
    w = ps.Variable(2.0, name="w")
    with ps.GradientTape(persistent=True) as tape:
        y = ps.while_loop(lambda x: x < 50.0, lambda x: x * w, 3.0)
    assert tape.gradient(y, w) is None
    answer = ps.explain(y, w)
    assert answer.reason == "unruled" and "max_iterations" in answer.fix and answer.cut.file == __file__
    with ps.GradientTape() as tape:
        y = ps.while_loop(lambda x: x < 50.0, lambda x: ps.stop_gradient(x * w), 3.0, max_iterations=9)
    assert ps.explain(y, w).reason == "stopped"


def test_explanations_agree_with_gradients_on_many_programs():
    """Exactly those variables have a gradient to which explain says that one flows."""
    sources = [ps.Variable(0.5 + i, name=f"v{i}") for i in range(3)]

    def programs():
        a, b, c = sources
        yield lambda: ps.scan(lambda s, x: (s * a + x, s * b), c, ps.ones((2,)))[0]
        yield lambda: ps.sum(ps.scan(lambda s, x: (ps.stop_gradient(s) * a, s * b), c, ps.ones((3,)))[1])
        yield lambda: ps.scan(lambda s, x: ((s[1], s[2], s[0] * a), None), (a, b, c), length=2)[0][0]
        yield lambda: ps.scan(lambda s, x: ((s[1], s[2], s[2]), None), (a, b, c), length=3)[0][0]
        yield lambda: ps.scan(lambda s, x: ((s[1], s[2], b), None), (a, b, c), length=1)[0][0]
        yield lambda: ps.cond(a > 0.0, lambda: ps.floor(b), lambda: c)
        yield lambda: ps.while_loop(lambda s: s < 9.0, lambda s: s * b + 1.0, c, max_iterations=4)
        yield lambda: ps.while_loop(lambda s: s < b, lambda s: s + 1.0, c, max_iterations=4)
        yield lambda: ps.checkpoint(lambda x: ps.round(x) * a + b)(c)
        yield lambda: ps.vmap(lambda x: ps.stop_gradient(a) * x)(ps.stack([b, ps.round(c)]))[0]
        yield lambda: ps.map(lambda x: ps.cond(x > 0, lambda: a * x, lambda: ps.sign(b)), ps.ones((2,)))[0]

    for number, program in enumerate(programs()):
        with ps.GradientTape(persistent=True) as tape:
            y = program()
        for source in sources:
            found = tape.gradient(y, source)
            reason = ps.explain(y, source).reason
            assert (reason == "flows") == (found is not None), (number, source.path, reason, found)


# -- refusals -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda x: ps.cond(x, lambda: 1.0, lambda: 2.0), ps.errors.ShapeError, r"condition is float32\[2\]"),
        (lambda x: ps.cond(x[0] > 0, lambda: x, lambda: x[0]), ps.errors.ShapeError, "for true, float32"),
        (
            lambda x: ps.cond(x[0] > 0, lambda: x, lambda: ps.astype(x, "int64")),
            ps.errors.DTypeError,
            "int64",
        ),
        (lambda x: ps.cond(x[0] > 0, lambda: x, lambda: (x, x)), ps.errors.PenstockError, "structure"),
        (
            lambda x: ps.scan(lambda c, v: (c, c[0] + v), x[0], x),
            ps.errors.PenstockError,
            "axes|dimension|ind",
        ),
        (lambda x: ps.scan(lambda c, v: x, x[0], x), ps.errors.PenstockError, "not a pair"),
        (lambda x: ps.scan(lambda c, v: (x, v), x[0], x), ps.errors.ShapeError, "at first, float32"),
        (
            lambda x: ps.scan(lambda c, v: ((c, c), v), x[0], x),
            ps.errors.PenstockError,
            "structure of the carry changes",
        ),
        (
            lambda x: ps.scan(lambda c, v: (c, v), 0.0),
            ps.errors.ShapeError,
            "nothing to loop over",
        ),
        (lambda x: ps.scan(lambda c, v: (c, v), 0.0, x, length=3), ps.errors.ShapeError, "2 and 3"),
        (lambda x: ps.map(lambda v: v, (x, ps.zeros(3))), ps.errors.ShapeError, "2 and 3"),
        (lambda x: ps.map(lambda v: v, x[0]), ps.errors.ShapeError, "first axis"),
        (lambda x: ps.map(lambda v: float(v), x), ps.errors.CaptureError, "the body of map"),
        (
            lambda x: ps.cond(x[0] > 0, lambda: x if x[0] > 0 else -x, lambda: x),
            ps.errors.CaptureError,
            "true_fn of cond",
        ),
        (
            lambda x: ps.while_loop(lambda c: c, lambda c: c, x),
            ps.errors.ShapeError,
            "the result of the condition",
        ),
        (
            lambda x: ps.while_loop(lambda c: c < 1, lambda c: c if c > 0 else -c, x[0]),
            ps.errors.CaptureError,
            r"bool\(\) needs a value",
        ),
    ],
)
def test_refusals(ask, error, words):
    x = ps.asarray([1.0, 2.0])
    with pytest.raises(error, match=words) as caught:
        ask(x)
    assert caught.value.site.file == __file__


def test_values_known_outside_may_be_read_inside():
    x = ps.asarray([1.0, 2.0])
    known, pending = x[0] * 1.0, x[1] * 1.0
    float(known)
    found = ps.map(lambda v: v * float(known) + (1.0 if float(pending) > 0 else 0.0) * float(pending), x)
    close(found, [3.0, 4.0])

    @ps.step
    def captured(y):
        return ps.map(lambda v: v * float(y), x)

    with pytest.raises(ps.errors.CaptureError, match="inside the captured step"):
        captured(ps.asarray(2.0))


def test_a_tape_from_outside_is_not_asked_inside():
    x = ps.Variable(3.0)
    with ps.GradientTape() as tape:
        y = x * x
    with pytest.raises(ps.errors.TapeError, match="inside the body of map") as caught:
        ps.map(lambda v: v * tape.gradient(y, x), ps.ones((2,)))
    assert caught.value.site.file == __file__
    assert float(tape.gradient(y, x)) == 6.0


def test_a_write_inside_changes_nothing():
    v = ps.Variable(1.0, name="v")
    with pytest.raises(ps.errors.CaptureError, match="'v' was written inside the body of scan"):
        ps.scan(lambda c, x: (c, v.assign_add(x)), 0.0, ps.ones((2,)))
    assert float(v) == 1.0 and v.version == 0
    assert float(ps.scan(lambda c, x: (c + x * v, None), 0.0, ps.ones((2,)))[0]) == 2.0


def test_a_failure_in_a_body_leaves_nothing_open():
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            ps.scan(lambda c, x: (1 / 0, None), 0.0, ps.ones((2,)))
        with pytest.raises(ps.errors.ShapeError) as caught:
            ps.scan(lambda c, x: (c @ x, None), ps.ones((2, 3)), ps.ones((2, 2)))
        assert caught.value.site.file == __file__


def test_an_index_outside_inside_a_body_is_refused_before_anything_is_written(tier):
    table, v = ps.asarray([1.0, 2.0, 3.0]), ps.Variable(0.0)

    def total(indices):
        return ps.scan(lambda c, i: (c + ps.take(table, i, axis=0), None), 0.0, indices)[0]

    def line(f):
        return f.__code__.co_firstlineno + 1

    for _ in range(2):
        v.assign(total(ps.asarray([0, 2])))
        assert float(v) == 4.0
        with pytest.raises(ps.errors.RangeError, match="index 7") as caught:
            v.assign(total(ps.asarray([0, 7])))
            v.numpy()
        assert caught.value.site.line == line(total)
        assert float(v) == 4.0
    assert (
        float(ps.cond(ps.asarray(False), lambda: ps.take(table, ps.asarray(9), axis=0), lambda: 1.0)) == 1.0
    )
    with pytest.raises(ps.errors.RangeError, match="index 3"):
        ps.while_loop(lambda c: ps.take(table, c, axis=0) < 9.0, lambda c: c + 1, 0).numpy()


# -- costs --------------------------------------------------------------------------------------------------


class Loop:
    """A recurrent net, trained: a loop, a choice, a rate that falls."""

    def __init__(self):
        self.w = ps.Variable(np.eye(3, dtype=np.float32) * 0.5)
        self.x = ps.asarray(np.ones((6, 3), np.float32))
        self.optimizer = ps.optimizers.Adam(0.01)

    def turn(self, i):
        with ps.GradientTape() as tape:
            h, ys = ps.scan(
                lambda h, x: (ps.tanh(h @ self.w + x * (0.1 + 0.01 * i)), ps.sum(h)), ps.zeros(3), self.x
            )
            loss = ps.cond(ps.sum(h) > 0.0, lambda: ps.sum(h * h), lambda: ps.sum(ys)) + ps.sum(ys)
        self.optimizer.apply_gradients([(tape.gradient(loss, self.w), self.w)])


class Search:
    """A loop of open length, without a tape."""

    def __init__(self):
        self.x = ps.Variable(1.0)

    def turn(self, i):
        self.x.assign(ps.while_loop(lambda v: v < 100.0 + i, lambda v: v * 1.5, self.x) * 0.01)


@pytest.mark.parametrize("loop", [Loop, Search])
def test_a_pass_is_one_launch_and_calls_no_rule(loop):
    with use_engine("xla"):
        made = loop()
        for i in range(5):
            made.turn(i)
        # Where only assignments end a step, its first turn after a wait is another path.
        ps.wait()
        for i in range(5, 7):
            made.turn(i)
        before, compiled, nodes = launches(), count_compilations(), tree.count
        with rules() as counted:
            for i in range(7, 27):
                made.turn(i)
        assert not counted, counted
        assert launches() - before == 20
        assert count_compilations() == compiled and tree.count == nodes


def test_the_length_of_a_loop_costs_no_recording():
    def size(length):
        before = tree.count
        ps.scan(lambda c, x: (ps.sin(c) + x, c * 2.0), 0.0, ps.zeros((length,)))
        return tree.count - before

    with use_engine("numpy"):
        size(1)
        assert size(7) == size(3001)


def test_inside_a_captured_step(tier):
    w = ps.Variable([0.5, -0.25])

    @ps.step
    def train(x, n):
        with ps.GradientTape() as tape:
            c, _ = ps.scan(lambda c, row: (ps.tanh(c * w + row), None), ps.zeros(2), x)
            loss = (
                ps.cond(n > 1.0, lambda: ps.sum(c * c), lambda: ps.sum(c))
                + ps.sum(ps.random.normal((2,))) * 0.0
            )
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    copy = ps.Variable([0.5, -0.25])
    for k, n in enumerate((0.0, 2.0, 0.0, 3.0)):
        x = ps.asarray(np.full((3, 2), 0.1 * k, np.float32))
        found = train(x, n)
        with ps.GradientTape() as tape:
            c = ps.zeros(2)
            for i in range(3):
                c = ps.tanh(c * copy + x[i])
            loss = ps.sum(c * c) if n > 1.0 else ps.sum(c)
        copy.assign_sub(0.1 * tape.gradient(loss, copy))
        close(found, loss, rtol=1e-5, atol=1e-6)
    close(w, copy, rtol=1e-5)


def test_a_repeated_step_with_loops_is_the_step_called_again_and_again(tier):
    w = ps.Variable(0.5)

    @ps.step
    def train():
        with ps.GradientTape() as tape:
            c, _ = ps.scan(lambda c, v: (ps.tanh(c * w + v + ps.random.normal(())), None), 0.1, ps.ones((4,)))
            loss = ps.cond(c > 0.0, lambda: c * c, lambda: -c)
        w.assign_sub(0.1 * tape.gradient(loss, w))

    found = []
    for run in (lambda: [train() for _ in range(6)], lambda: ps.repeat(train, 6)()):
        w.assign(0.5)
        ps.random.seed(1)
        run()
        found.append(float(w))
    assert np.isclose(*found, rtol=1e-6) and found[0] != 0.5


def test_a_number_in_a_body_that_varies_compiles_nothing_more():
    with use_engine("xla"):
        compiled = []
        for i in range(7):
            f = ps.scan(lambda c, x: (c * (0.5 + i * 0.1) + x, None), 0.0, ps.asarray([1.0, 2.0]))[0]  # noqa: B023
            assert np.isclose(float(f), (0.5 + i * 0.1) + 2.0)
            compiled.append(count_compilations())
        assert compiled[2] == compiled[-1], compiled


# -- TensorFlow's names -------------------------------------------------------------------------------------


def test_cond_of_tensorflow(tier):
    x, count = tf.Variable(3.0), tf.Variable(0)
    with tf.GradientTape() as tape:
        y = tf.cond(x > 2.0, lambda: x * x, lambda: -x)
    assert isinstance(y, tf.Tensor) and float(tape.gradient(y, x)) == 6.0
    for _ in range(3):
        # A write, and things of two kinds: what TensorFlow does eagerly is done.
        tf.cond(x > 2.0, lambda: count.assign_add(1), lambda: "never")
    assert int(count) == 3
    seen = []
    tf.cond(tf.constant(False), lambda: seen.append("a"), lambda: seen.append(float(x)))
    assert seen[-1] == 3.0
    with pytest.raises(TypeError, match="'false_fn' must be callable"):
        tf.cond(x > 2.0, lambda: x)


def test_while_loop_of_tensorflow(tier):
    x = tf.Variable(3.0)
    start = (tf.constant(0), tf.constant(1.0))
    for options in ({}, {"maximum_iterations": 10}):
        with tf.GradientTape() as tape:
            i, power = tf.while_loop(lambda i, p: i < 4, lambda i, p: (i + 1, p * x), start, **options)
        assert int(i) == 4 and float(power) == 81.0 and float(tape.gradient(power, x)) == 108.0
    assert isinstance(tf.while_loop(lambda i: i < 4, lambda i: i + 1, [tf.constant(0)]), tf.Tensor)
    found = tf.while_loop(lambda i: i < 4, lambda i: [i + 1], [tf.constant(0)])
    assert isinstance(found, list) and int(found[0]) == 4
    short = tf.while_loop(lambda i, p: i < 4, lambda i, p: (i + 1, p), start, maximum_iterations=2)
    assert int(short[0]) == 2
    grown = tf.while_loop(
        lambda v: tf.size(v) < 5, lambda v: (tf.concat([v, v], 0),), (tf.constant([1.0]),),
        shape_invariants=(None,),
    )  # fmt: skip
    assert grown[0].shape == (8,)


def test_loops_over_slices_of_tensorflow(tier):
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.map_fn(lambda v: v * v, x))
    close(tape.gradient(y, x), [2.0, 4.0, 6.0])
    with pytest.raises(ValueError, match="fn_output_signature"):
        tf.map_fn(lambda v: tf.cast(v, tf.int32), x)
    assert tf.map_fn(lambda v: tf.cast(v, tf.int32), x, fn_output_signature=tf.int32).dtype == tf.int32
    seen = []
    tf.map_fn(lambda v: (seen.append(float(v)), v)[1], x)
    assert seen == [1.0, 2.0, 3.0], "a function that looks is called for each slice"
    with tf.GradientTape() as tape:
        y = tf.scan(lambda a, v: a * v, x)[-1]
    close(tape.gradient(y, x), [6.0, 3.0, 2.0])
    close(tf.scan(lambda a, v: a + v, x, reverse=True), [6.0, 5.0, 3.0])
    close(tf.vectorized_map(lambda v: v * tf.reduce_sum(x), x), [6.0, 12.0, 18.0])


@pytest.mark.parametrize(
    ("called", "words"),
    [
        (
            lambda: ps.while_loop(lambda i, x: i < 3, lambda v: v, (0, 1.0)),
            r"while_loop: cond_fn takes \(i, x\)",
        ),
        (lambda: ps.while_loop(lambda v: v[0] < 3, lambda i, x: (i, x), (0, 1.0)), "body_fn .* 1 argument"),
        (lambda: ps.scan(lambda c: c, 0.0, ps.ones((3,))), "scan: f .* 2 arguments"),
        (lambda: ps.map(lambda a, b: a, ps.ones((3,))), "map: f"),
        (lambda: ps.cond(ps.asarray(True), lambda x: x, lambda: 1.0, 2.0), "cond: false_fn takes"),
    ],
)
def test_a_function_with_the_wrong_number_of_parameters_is_named_before_it_is_called(called, words):
    with pytest.raises(ps.errors.SignatureError, match=words) as caught:
        called()
    assert caught.value.site.file == __file__ and caught.value.remedy


def test_functions_that_accept_their_arguments_are_called():
    assert float(ps.while_loop(lambda *v: v[0] < 9, lambda v, step=3.0: v + step, 0.0)) == 9.0
    assert float(ps.cond(ps.asarray(True), lambda *x: x[0], ps.maximum, 2.0, 3.0)) == 2.0


def test_the_loop_of_tensorflow_names_a_body_that_does_not_take_its_loop_vars():
    start = (tf.constant(0), tf.constant(1.0))
    with pytest.raises(TypeError, match=r"while_loop: body takes \(i\), and is called with 2 arguments"):
        tf.while_loop(lambda i, x: i < 4, lambda i: i + 1, start)
    with pytest.raises(TypeError, match="while_loop: cond takes"):
        tf.while_loop(lambda i: i < 4, lambda i, x: (i + 1, x), start)
    with pytest.raises(TypeError, match="cond: true_fn takes"):
        tf.cond(tf.constant(1.0) > 0.0, lambda x: x, lambda: 1.0)
