"""Jacobians, Hessians and products with them: values, shapes, missing gradients, errors, and cost."""

import numpy as np
import pytest

import penstock as ps
from comparing import close
from counting import count_compilations, launches, rules
from penstock import tensorflow as tf
from penstock.ops import batching
from penstock.ops.table import complete
from penstock.testing import use_engine
from penstock.trace.tree import tree

RNG = np.random.default_rng(7)
MATRIX = RNG.standard_normal((3, 4))
POINT = RNG.standard_normal(4)


def differences(f, x, step=1e-6):
    """The Jacobian of f at x by central differences, in float64; always in NumPy, the tier that defines f."""
    x = np.asarray(x, np.float64)
    columns = []
    with use_engine("numpy"):
        for place in np.ndindex(*x.shape):
            ahead, behind = x.copy(), x.copy()
            ahead[place] += step
            behind[place] -= step
            a, b = (np.asarray(f(ps.asarray(one)).numpy()) for one in (ahead, behind))
            columns.append((a - b) / (2 * step))
    return np.moveaxis(np.reshape(columns, (*x.shape, *columns[0].shape)), range(x.ndim), range(-x.ndim, 0))


FUNCTIONS = {
    "matrix times vector": lambda x: ps.sin(ps.asarray(MATRIX) @ x),
    "outer": lambda x: ps.reshape(x, (4, 1)) * ps.exp(x) + ps.sum(x),
    "scalar": lambda x: ps.sum(x * x * x),
    "softmax": lambda x: ps.nn.softmax(x),
    "gather": lambda x: ps.take(x, ps.asarray([0, 2, 2, 3, 0]), axis=0) ** 2,
    "slices": lambda x: ps.concat([x[1:] * x[:-1], ps.flip(x)]),
    "extremes": lambda x: ps.stack([ps.max(x), ps.min(x), ps.prod(x)]),
    "norm": lambda x: ps.sqrt(ps.sum(x * x)) * ps.tanh(x),
    "where": lambda x: ps.where(x > 0, x * x, -x),
    "one by itself": lambda x: x * 1.0,
    "mean": lambda x: ps.mean(ps.reshape(x, (2, 2)), axis=0, keepdims=True) / (1.0 + x[0] ** 2),
    "clip": lambda x: ps.clip(x * 2.0, -0.7, 0.9) * x,
    "transposed": lambda x: ps.matrix_transpose(ps.reshape(x, (2, 2))) @ ps.reshape(x, (2, 2)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_jacobian_against_differences(tier, name):
    f = FUNCTIONS[name]
    want = differences(f, POINT)
    close(ps.jacobian(f)(ps.asarray(POINT)), want, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rows_in_turn_are_the_rows_together(tier, name):
    x = ps.Variable(POINT)
    with ps.GradientTape(persistent=True) as tape:
        y = FUNCTIONS[name](x)
    together = tape.jacobian(y, x)
    assert together.shape == y.shape + x.shape
    close(tape.jacobian(y, x, experimental_use_pfor=False), together, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_products_are_those_with_the_jacobian(tier, name):
    f, direction = FUNCTIONS[name], RNG.standard_normal(4)
    matrix = differences(f, POINT)
    value, along = ps.jvp(f, ps.asarray(POINT), direction)
    close(value, f(ps.asarray(POINT)))
    close(along, matrix @ direction, rtol=1e-6, atol=1e-8)
    cotangent = RNG.standard_normal(value.shape)
    _, pullback = ps.vjp(f, ps.asarray(POINT))
    want = np.tensordot(cotangent, matrix, axes=cotangent.ndim)
    for _ in range(2):
        close(pullback(cotangent)[0], want, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", ["softmax", "outer", "norm", "gather", "transposed", "extremes", "slices"])
def test_second_derivatives_against_differences(tier, name):
    def f(x):
        return ps.sum(ps.sin(FUNCTIONS[name](x)))

    want = differences(ps.grad(f), POINT)
    found = ps.hessian(f)(ps.asarray(POINT))
    close(found, want, rtol=1e-5, atol=1e-7)
    close(found, np.transpose(found.numpy()), rtol=1e-10, atol=1e-12)
    v = RNG.standard_normal(4)
    close(ps.hvp(f, ps.asarray(POINT), v), want @ v, rtol=1e-5, atol=1e-7)


def test_third_order(tier):
    found = ps.jacobian(ps.hessian(lambda x: ps.sum(x**4)))(ps.asarray([1.0, 2.0], dtype="float64"))
    want = np.zeros((2, 2, 2))
    want[0, 0, 0], want[1, 1, 1] = 24.0, 48.0
    close(found, want)


def test_batch_jacobian(tier):
    x = ps.asarray(RNG.standard_normal((5, 3)))
    w = ps.asarray(RNG.standard_normal((3, 2)))

    def one(row):
        return ps.tanh(row @ w) * ps.sum(row)

    with ps.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = ps.tanh(x @ w) * ps.sum(x, axis=1, keepdims=True)
    want = np.stack([differences(one, row) for row in x.numpy()])
    for together in (True, False):
        found = tape.batch_jacobian(y, x, experimental_use_pfor=together)
        assert found.shape == (5, 2, 3)
        close(found, want, rtol=1e-6, atol=1e-8)
    whole = tape.jacobian(y, x).numpy()
    close(found, np.stack([whole[i, :, i] for i in range(5)]))


def test_batch_jacobian_of_a_function():
    x, w = ps.asarray(RNG.standard_normal((5, 3))), ps.asarray(RNG.standard_normal((3, 2)))

    def f(x, w, scale=1.0):
        return {"y": ps.tanh(x @ w) * scale, "z": (x[:, :, None] * x[:, None, :],)}

    with use_engine("numpy"):
        found, whole = ps.batch_jacobian(f)(x, w, scale=2.0), ps.jacobian(f)(x, w, scale=2.0)
        for one, other in ((found["y"], whole["y"]), (found["z"][0], whole["z"][0])):
            close(one, np.stack([other.numpy()[i, ..., i, :] for i in range(5)]))
        pair = ps.batch_jacobian(lambda a, b: a["k"] * b, argnums=(0, 1))({"k": x}, x * 2.0)
        close(pair[0]["k"], np.stack([np.diag(row * 2.0) for row in x.numpy()]))
        close(pair[1], np.stack([np.diag(row) for row in x.numpy()]))
        nothing = ps.batch_jacobian(lambda a, b: a * 2.0, argnums=1)(x, x)
        assert nothing.shape == (*x.shape, x.shape[1]) and not nothing.numpy().any()
        # Again differentiated: of the sum of the squares, 8 x.
        slope = ps.grad(lambda x: ps.sum(ps.batch_jacobian(lambda x: x * x)(x) ** 2))(x)
        close(slope, 8.0 * x.numpy())


def test_structures(tier):
    def f(point, scale):
        return {"product": point["x"] * scale, "only": [point["y"] * 2.0]}

    found = ps.jacobian(f, argnums=(0, 1))({"x": ps.asarray([1.0, 2.0]), "y": 3.0}, 4.0)
    by_point, by_scale = found["product"]
    close(by_point["x"], np.eye(2) * 4.0)
    assert are_zeros(by_point["y"], (2,))
    close(by_scale, [1.0, 2.0])
    close(found["only"][0][0]["y"], 2.0)
    assert are_zeros(found["only"][0][0]["x"], (2,)) and are_zeros(found["only"][0][1], ())
    twice = ps.hessian(lambda p: ps.sum(p["x"] * p["x"]) * p["y"])({"x": ps.asarray([1.0, 2.0]), "y": 3.0})
    close(twice["x"]["x"], np.eye(2) * 6.0)
    close(twice["x"]["y"], [2.0, 4.0])
    close(twice["y"]["x"], [2.0, 4.0])
    assert are_zeros(twice["y"]["y"], ())


def test_a_table_gives_a_dense_jacobian(tier):
    table = ps.Variable(RNG.standard_normal((4, 2)))
    with ps.GradientTape(persistent=True) as tape:
        y = ps.take(table, ps.asarray([1, 3, 1]), axis=0) ** 2
    found = tape.jacobian(y, table)
    want = differences(lambda t: ps.take(t, ps.asarray([1, 3, 1]), axis=0) ** 2, table.numpy())
    close(found, want, rtol=1e-6, atol=1e-8)
    twice = ps.jacobian(ps.grad(lambda t: ps.sum(ps.take(t, ps.asarray([1, 1]), axis=0) ** 3)))(table)
    diagonal = np.zeros((4, 2, 4, 2))
    for place in ((1, 0), (1, 1)):
        diagonal[place + place] = 12.0 * table.numpy()[place]
    close(twice, diagonal)


def test_empty_and_single_targets(tier):
    x = ps.Variable([2.0, 3.0])
    with ps.GradientTape(persistent=True) as tape:
        one, none, scalar = x[:1] * 3.0, x[:0] * 3.0, ps.sum(x)
    close(tape.jacobian(one, x), [[3.0, 0.0]])
    assert tape.jacobian(none, x).shape == (0, 2)
    assert tape.jacobian(scalar, x).shape == (2,)


def test_unconnected_sources_and_their_reasons(tier):
    x, frozen = ps.Variable([1.0, 2.0], name="x"), ps.Variable([1.0], name="frozen", trainable=False)
    with ps.GradientTape(persistent=True) as tape:
        y = ps.stop_gradient(x) * frozen + ps.round(x)
    assert tape.jacobian(y, [x, frozen]) == [None, None]
    assert ps.explain(y, x).reason in ("stopped", "flat")
    assert ps.explain(y, frozen).reason == "frozen"
    zero = tape.jacobian(y, [x, frozen], unconnected_gradients="zero")
    assert [one.shape for one in zero] == [(2, 2), (2, 1)] and not any(one.numpy().any() for one in zero)
    assert tape.batch_jacobian(y[:, None], x[:, None]) is None


def test_a_variable_by_itself(tier):
    x, y = ps.Variable([[1.0, 2.0], [3.0, 4.0]]), ps.Variable([[1.0], [2.0]])
    with ps.GradientTape(persistent=True) as tape:
        _ = x * 1.0
    close(tape.jacobian(x, x), np.eye(4).reshape(2, 2, 2, 2))
    close(tape.batch_jacobian(x, x), np.stack([np.eye(2)] * 2))
    assert tape.jacobian(x, y) is None
    assert tape.jacobian(x, y, unconnected_gradients="zero").shape == (2, 2, 2, 1)


def test_a_tape_gives_one_jacobian_and_a_persistent_one_many(tier):
    x = ps.Variable([1.0, 2.0])
    with ps.GradientTape() as tape:
        y = x * x
    tape.jacobian(y, x)
    with pytest.raises(ps.errors.TapeError, match="already computed"):
        tape.jacobian(y, x)


def test_a_jacobian_of_a_step_that_is_over(tier):
    x = ps.Variable([1.0, 2.0])
    with ps.GradientTape(persistent=True) as tape:
        y = x * x * x
    x.assign([5.0, 6.0])
    ps.wait(x)
    with ps.GradientTape():
        pass
    close(tape.jacobian(y, x), np.diag([3.0, 12.0]))
    with ps.GradientTape() as outer:
        outer.watch(x)
        z = x * 2.0
    close(outer.jacobian(z, x), np.eye(2) * 2.0)


@pytest.mark.parametrize(
    ("f", "x", "words"),
    [
        (lambda x: x * x, np.ones(3), "Both need at least two axes"),
        (lambda x: ps.sum(x, axis=1), np.ones((3, 2)), "Both need at least two axes"),
        (lambda x: x[:2], np.ones((3, 2)), "Both need at least two axes"),
        (lambda x: 3.0, np.ones((3, 2)), "is not a tensor"),
    ],
)
def test_refusals_of_batch_jacobian(f, x, words):
    with pytest.raises(ps.errors.PenstockError, match=words) as caught:
        ps.batch_jacobian(f)(x)
    assert caught.value.site.file == __file__


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda tape, y, x: tape.jacobian([y, y], x), "one tensor or variable"),
        (lambda tape, y, x: tape.jacobian(y, 3.0), "neither a tensor nor a variable"),
        (lambda tape, y, x: tape.batch_jacobian(y, [x]), "one tensor or variable"),
        (lambda tape, y, x: tape.batch_jacobian(y, x), "Both need at least two axes"),
        (lambda tape, y, x: tape.jacobian(y, x, unconnected_gradients="nought"), "'nought'"),
    ],
)
def test_refusals(ask, words):
    x = ps.Variable([1.0, 2.0])
    with ps.GradientTape(persistent=True) as tape:
        y = x * x
    with pytest.raises(ps.errors.PenstockError, match=words) as caught:
        ask(tape, y, x)
    assert caught.value.site.file == __file__


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: ps.jvp(ps.sin, ps.asarray([1.0, 2.0]), ps.asarray([1.0])), r"float32\[2\] is float32\[1\]"),
        (lambda: ps.jvp(lambda x, y: x, (1.0, 2.0), (1.0,)), "2 tensors, 1 tangents"),
        (lambda: ps.vjp(ps.sin, 1.0)[1]((1.0, 2.0)), "structure of the result"),
        (lambda: ps.jacobian(lambda x: 3.0)(1.0), "which is not a tensor"),
        (lambda: ps.jacobian(ps.sin, argnums=2)(1.0), "argument 2"),
        (lambda: ps.hessian(lambda x: x)(ps.asarray([1.0, 2.0])), "only a scalar has"),
        (lambda: ps.jacobian(ps.square)(ps.asarray([1, 2])), "no derivative"),
    ],
)
def test_refusals_of_functions(ask, words):
    with pytest.raises(ps.errors.PenstockError, match=words):
        ask()


def are_zeros(found, shape, dtype="float32"):
    return found.shape == shape and found.dtype == np.dtype(dtype) and not found.numpy().any()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_give_zeros_where_nothing_depends(dtype):
    x, other = ps.asarray([1.0, 2.0], dtype=dtype), ps.asarray([3.0, 4.0, 5.0])
    constant = ps.sum(other)
    for f in (lambda x: ps.sum(ps.stop_gradient(x)), lambda x: constant, lambda x: ps.sum(ps.round(x))):
        assert ps.grad(f)(x) is None and ps.vjp(f, x)[1](1.0) == (None,)
        assert are_zeros(ps.jacobian(f)(x), (2,), dtype)
        assert are_zeros(ps.hvp(f, x, x), (2,), dtype)
        assert are_zeros(ps.hessian(f)(x), (2, 2), dtype)
        assert are_zeros(ps.jvp(f, x, x)[1], (), f(x).dtype)
        assert are_zeros(ps.jvp(lambda x: ps.jvp(f, x, x)[1], x, x)[1], (), f(x).dtype)  # noqa: B023
        assert are_zeros(ps.jacobian(ps.hessian(f))(x), (2, 2, 2), dtype)
    assert are_zeros(ps.jacobian(lambda x, y: y * 2.0)(x, other), (3, 2), dtype)
    assert are_zeros(ps.hessian(lambda x: ps.sum(x * 3.0))(x), (2, 2), dtype)
    curves = ps.vmap(ps.hessian(lambda x, y: ps.sum(y)), in_axes=(0, None))(ps.stack([x, x, x]), other)
    assert are_zeros(curves, (3, 2, 2), dtype)


def test_blocks_that_vanish_stand_beside_others_and_a_tape_keeps_none():
    x, y = ps.asarray([1.0, 2.0]), ps.asarray([3.0])
    (by_xx, by_xy), (by_yx, by_yy) = ps.hessian(lambda x, y: ps.sum(x**3) + ps.sum(y), argnums=(0, 1))(x, y)
    assert by_xx.numpy().tolist() == [[6.0, 0.0], [0.0, 12.0]]
    assert are_zeros(by_xy, (2, 1)) and are_zeros(by_yx, (1, 2)) and are_zeros(by_yy, (1, 1))
    with ps.GradientTape() as tape:
        tape.watch(x)
        target = ps.sum(y)
    assert tape.gradient(target, x) is None
    variable = ps.Variable([1.0, 2.0])
    assert are_zeros(ps.hessian(lambda given: ps.sum(x))({"a": variable})["a"]["a"], (2, 2))


def test_wgan_gradient_penalty(tier):
    """The gradient of a gradient's norm, used to train a critic, against differences."""
    rng = np.random.default_rng(3)
    kernel, head = rng.standard_normal((3, 5)) * 0.5, rng.standard_normal((5, 1))
    real, fake, mix = rng.standard_normal((4, 3)), rng.standard_normal((4, 3)), rng.uniform(size=(4, 1))

    def penalty(kernel):
        between = ps.asarray(mix * real + (1.0 - mix) * fake)
        with ps.GradientTape() as tape:
            tape.watch(between)
            critic = ps.tanh(between @ kernel) @ ps.asarray(head)
        slope = tape.gradient(critic, between)
        norm = ps.sqrt(ps.sum(slope * slope, axis=1))
        return ps.mean((norm - 1.0) ** 2)

    want = differences(penalty, kernel)
    weight = ps.Variable(kernel)
    with ps.GradientTape() as tape:
        loss = penalty(weight)
    close(tape.gradient(loss, weight), want, rtol=1e-6, atol=1e-8)
    optimizer = ps.optimizers.Adam(0.05)
    losses = []
    for _ in range(30):
        with ps.GradientTape() as tape:
            loss = penalty(weight)
        optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
        losses.append(loss)
    assert float(losses[-1]) < 0.5 * float(losses[0])


# -- ForwardAccumulator -----------------------------------------------------------------------------------


def test_forward_accumulator(tier):
    x, w = tf.constant([2.0, 3.0]), tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    tangents = (tf.constant([1.0, -1.0]), tf.ones((2, 2)))
    with tf.autodiff.ForwardAccumulator((x, w), tangents) as forward:
        y = tf.linalg.matvec(w, x * x)
        inside = forward.jvp(y)
    close(inside, np.array([[1.0, 2.0], [3.0, 4.0]]) @ [4.0, -6.0] + 13.0)
    close(forward.jvp(y), inside)
    assert forward.jvp(x) is tangents[0]
    other = tf.constant(1.0)
    assert forward.jvp(other) is None
    assert float(forward.jvp(other, unconnected_gradients="zero")) == 0.0
    with pytest.raises(ValueError, match="nested structure"):
        tf.autodiff.ForwardAccumulator((x, w), tangents[0])
    with pytest.raises(ValueError, match="does not fit"):
        tf.autodiff.ForwardAccumulator(x, tf.ones(3))


def test_a_direction_is_no_request_for_gradients():
    """Gradients taken along directions do not count in the explanation of a missing gradient."""
    x, w, lost = ps.Variable(2.0), ps.Variable(3.0, name="w"), ps.Variable(1.0, name="lost")
    with tf.autodiff.ForwardAccumulator((x, w, lost), (ps.ones(()), ps.ones(()), ps.ones(()))) as forward:
        with ps.GradientTape() as tape:
            y = x * w
        assert float(forward.jvp(y)) == 5.0
    gradients = tape.gradient(y, [w, lost])
    with pytest.raises(ps.errors.NoGradientsError, match="'lost': unused"):
        ps.optimizers.SGD(0.1).apply_gradients([(gradients[1], lost)])
    assert ps.explain(y, w).reason == "flows"


def test_forward_over_forward(tier):
    x = tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as outer:
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as inner:
            y = x**4
        first = inner.jvp(y)
    assert float(first) == 108.0 and float(outer.jvp(first)) == 108.0


# -- cost ---------------------------------------------------------------------------------------------------


class Newton:
    """Newton's method by hand: a Jacobian of a gradient in every turn."""

    def __init__(self):
        self.x = ps.Variable([0.7, -0.4, 0.2])
        self.target = ps.asarray([1.0, 2.0, 3.0])

    def turn(self, i):
        with ps.GradientTape() as outer:
            with ps.GradientTape() as inner:
                loss = ps.sum((ps.sinh(self.x) - self.target) ** 2) + ps.sum(self.x) ** 2
            slope = inner.gradient(loss, self.x)
        curvature = outer.jacobian(slope, self.x)
        self.x.assign_sub(0.1 * ps.sum(curvature, axis=1) * slope * 0.01)


class Functional:
    """The same through functions."""

    def __init__(self):
        self.x = ps.Variable([0.7, -0.4, 0.2])

    def turn(self, i):
        def f(x):
            return ps.sum(ps.cosh(x) * x)

        h = ps.hessian(f)(self.x)
        _, along = ps.jvp(f, self.x, ps.ones((3,)))
        product = ps.hvp(f, self.x, ps.ones((3,)))
        self.x.assign_sub(0.001 * (ps.sum(h, axis=0) + along + product))


@pytest.mark.parametrize(("loop", "each"), [(Newton, 1), (Functional, None)])
def test_a_jacobian_in_a_loop_is_part_of_one_launch(loop, each):
    with use_engine("xla"):
        made = loop()
        for i in range(4):
            made.turn(i)
        ps.wait()
        before, compiled, nodes = launches(), count_compilations(), tree.count
        with rules() as counted:
            for i in range(20):
                made.turn(i)
            ps.wait()
        assert not counted, counted
        assert count_compilations() == compiled and tree.count == nodes
        if each is not None:
            assert launches() - before == 20 * each


# -- batching rules -----------------------------------------------------------------------------------------


def test_every_primitive_has_a_batching_rule():
    missing = {name for name, one in complete().items() if one not in batching.rules}
    # It has no operand that could have an axis more.
    assert missing == {"arange"}, "a loop over examples is slow: give it a rule"
