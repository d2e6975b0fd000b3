"""Functions with custom gradients: custom_gradient, straight_through, checkpoint, and TensorFlow's."""

import numpy as np
import pytest

import penstock as ps
from comparing import close
from counting import count_compilations, launches, rules
from penstock import tensorflow as tf
from penstock.ops import control
from penstock.testing import use_engine
from penstock.tiers.program import programs
from penstock.trace.tree import tree


@ps.custom_gradient
def log1pexp(x):
    e = ps.exp(x)

    def gradient(upstream):
        return upstream * (1.0 - 1.0 / (1.0 + e))

    return ps.log(1.0 + e), gradient


def test_a_custom_gradient(tier):
    x = ps.Variable(100.0)
    with ps.GradientTape() as tape:
        y = log1pexp(x)
    assert float(tape.gradient(y, x)) == 1.0, "by the plain rules it is NaN"


def test_the_second_order_goes_through_the_gradient_function(tier):
    # d/dx (1 - 1 / (1 + e^x)) = e^x / (1 + e^x)^2
    want = np.exp(0.3) / (1.0 + np.exp(0.3)) ** 2
    found = ps.grad(ps.grad(log1pexp))(ps.asarray(0.3, dtype="float64"))
    close(found, want, rtol=1e-12)
    close(ps.hessian(log1pexp)(ps.asarray(0.3, dtype="float64")), want, rtol=1e-12)
    _, along = ps.jvp(ps.grad(log1pexp), ps.asarray(0.3, dtype="float64"), 2.0)
    close(along, 2.0 * want, rtol=1e-12)


def test_several_arguments_and_results(tier):
    @ps.custom_gradient
    def both(x, y):
        def gradient(by_sum, by_product):
            return 10.0 * by_sum + y * by_product, 100.0 * by_sum + x * by_product

        return (x + y, x * y), gradient

    x, y = ps.Variable(2.0), ps.Variable(3.0)
    with ps.GradientTape(persistent=True) as tape:
        s, p = both(x, y)
        loss = s + 2.0 * p
    assert [float(g) for g in tape.gradient(loss, [x, y])] == [16.0, 104.0]
    assert [float(g) for g in tape.gradient(s, [x, y])] == [10.0, 100.0]


def test_variables_read_inside(tier):
    weight, state = ps.Variable([1.0, 2.0]), ps.Variable(5.0, trainable=False)

    @ps.custom_gradient
    def scaled(x):
        def gradient(upstream, variables=None):
            assert variables == [weight], variables
            return upstream * weight, [upstream * x * 10.0]

        return x * weight * state, gradient

    before = weight * 1.0
    x = ps.Variable([3.0, 4.0])
    with ps.GradientTape() as tape:
        y = ps.sum(scaled(x)) + ps.sum(weight)
    by_x, by_weight = tape.gradient(y, [x, weight])
    close(by_x, [1.0, 2.0])
    close(by_weight, [31.0, 41.0])
    close(before, [1.0, 2.0])


def test_variables_without_an_argument_for_their_gradients_are_refused():
    weight = ps.Variable(2.0, name="weight")

    @ps.custom_gradient
    def scaled(x):
        return x * weight, lambda upstream: upstream

    with pytest.raises(ps.errors.GradientFunctionError, match=r"'weight'.*variables") as caught:
        ps.grad(scaled)(1.0)
    assert isinstance(caught.value, TypeError)


def test_value_and_gradient_apart(tier):
    @ps.custom_gradient
    def doubled(x, y):
        raise AssertionError("forward is called")

    def forward(x, y):
        return x * y, (x, y)

    def backward(kept, upstream):
        _, y = kept
        return upstream * y * 2.0, None

    doubled.defvjp(forward, backward)
    x, y = ps.Variable(3.0), ps.Variable(4.0)
    with ps.GradientTape() as tape:
        z = doubled(x, y)
    by_x, by_y = tape.gradient(z, [x, y])
    assert float(z) == 12.0 and float(by_x) == 8.0 and by_y is None
    answer = ps.explain(z, y)
    assert answer.reason == "unruled" and "doubled" in str(answer)


@pytest.mark.parametrize(
    ("gradient", "words"),
    [
        (lambda u: (u, u), "returned 2 gradients for 1 argument"),
        (lambda u: ps.ones((3,)), r"float32\[3\] for an argument that is float32\[2\]"),
        (lambda u: ps.astype(u, "float64"), r"float64\[2\] for an argument that is float32\[2\]"),
        (3.0, "float where the gradient function should be"),
    ],
)
def test_a_wrong_gradient_function_gets_a_message(gradient, words):
    @ps.custom_gradient
    def f(x):
        return x * 2.0, gradient

    x = ps.Variable([1.0, 2.0])
    with (
        pytest.raises(ps.errors.GradientFunctionError, match=words) as caught,
        ps.GradientTape() as tape,
    ):
        tape.gradient(f(x), x)
    assert caught.value.site.file == __file__


def test_a_look_inside_a_gradient_function_is_refused():
    @ps.custom_gradient
    def f(x):
        def gradient(upstream):
            if upstream > 0:
                return upstream
            return -upstream

        return x * 2.0, gradient

    with pytest.raises(ps.errors.CaptureError, match="the gradient function of f") as caught:
        ps.grad(f)(1.0)
    assert caught.value.site.file == __file__ and "where" in str(caught.value)


def test_without_a_tape_the_gradient_function_is_left_alone():
    @ps.custom_gradient
    def f(x):
        return x * 2.0, lambda upstream: 1 / 0

    assert float(f(3.0)) == 6.0


def test_a_number_in_the_closure_may_change(tier):
    def scaled(x, factor):
        @ps.custom_gradient
        def f(x):
            return x * 1.0, lambda upstream: upstream * factor

        return f(x)

    x = ps.Variable(1.0)
    for factor in (2.0, 3.0, 4.0, 4.5):
        with ps.GradientTape() as tape:
            y = scaled(x, factor)
        assert float(tape.gradient(y, x)) == factor


def test_an_argument_given_twice_counts_twice(tier):
    @ps.custom_gradient
    def f(x, y):
        return x * y, lambda upstream: (upstream * 10.0, upstream * 100.0)

    t = ps.asarray(2.0)
    assert float(ps.grad(lambda t: f(t, t))(t)) == 110.0


def test_a_method_may_have_a_custom_gradient(tier):
    class Scale:
        factor = 3.0

        @ps.custom_gradient
        def apply(self, x):
            return x * self.factor, lambda upstream: upstream * self.factor * 2.0

    assert float(ps.grad(Scale().apply)(1.0)) == 6.0


def test_one_gradient_for_two_arguments_is_refused():
    @ps.custom_gradient
    def f(x, y):
        return x * y, lambda upstream: upstream

    with pytest.raises(ps.errors.GradientFunctionError, match="returned 1 gradient for 2 arguments"):
        ps.grad(f)(1.0, ps.asarray(2.0))


def test_a_captured_tensor_has_no_gradient_and_a_reason(tier):
    other = ps.Variable(5.0, name="other")
    with ps.GradientTape() as tape:
        inner = other * 2.0

        @ps.custom_gradient
        def f(x):
            return x * inner, lambda upstream: upstream * inner

        z = f(ps.asarray(3.0)) + 0.0
    assert tape.gradient(z, other) is None
    assert ps.explain(z, other).reason == "unruled"


# -- straight_through ---------------------------------------------------------------------------------------


def test_straight_through(tier):
    x = ps.Variable([0.1, 0.6, 1e8 + 0.5])
    with ps.GradientTape() as tape:
        y = ps.straight_through(ps.round(x), ps.tanh(x))
        loss = ps.sum(y * ps.asarray([1.0, 2.0, 3.0]))
    assert np.array_equal(y.numpy(), np.round(x.numpy())), "bit for bit"
    close(tape.gradient(loss, x), [1.0, 2.0, 3.0] * (1.0 - np.tanh(x.numpy()) ** 2))
    with ps.GradientTape():
        z = ps.straight_through(x * 2.0, ps.asarray([1.0, 1.0, 1.0]))
    answer = ps.explain(z, x)
    assert answer.reason == "stopped" and answer.cut.file == __file__


def test_straight_through_refuses_shapes_that_do_not_fit():
    x = ps.asarray([0.5, 1.5])
    with pytest.raises(ps.errors.ShapeError, match="straight_through"):
        ps.straight_through(x[0], x)
    with pytest.raises(ps.errors.DTypeError, match="int64"):
        ps.straight_through(ps.astype(x, "int64"), x)


# -- checkpoint ---------------------------------------------------------------------------------------------


def block(x, weight):
    for _ in range(3):
        x = ps.tanh(x @ weight) + ps.sin(x)
    return x


@pytest.mark.parametrize("again", [False, True], ids=["variable", "argument"])
def test_values_and_gradients_are_those_of_the_plain_function(tier, again):
    rng = np.random.default_rng(0)
    weight, x = ps.Variable(rng.standard_normal((3, 3))), ps.asarray(rng.standard_normal((2, 3)))

    def run(f):
        with ps.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = f(x, weight) if again else f(x)
            loss = ps.sum(y * y)
        return [y, *tape.gradient(loss, [x, weight]), tape.jacobian(y, weight)]

    plain = block if again else lambda x: block(x, weight)
    for found, want in zip(run(ps.checkpoint(plain)), run(plain), strict=True):
        close(found, want, rtol=1e-12, atol=1e-13)


def test_a_frozen_input_does_not_silence_the_block(tier):
    frozen, inner = ps.Variable([1.0, 2.0], trainable=False), ps.Variable([0.5, 0.25])
    checkpointed = ps.checkpoint(lambda x: ps.tanh(x * inner))
    with ps.GradientTape() as tape:
        y = ps.sum(checkpointed(frozen))
    found = tape.gradient(y, [frozen, inner])
    assert found[0] is None and ps.explain(y, frozen).reason == "frozen"
    close(found[1], (1.0 - np.tanh([0.5, 0.5]) ** 2) * [1.0, 2.0])


def test_random_numbers_are_drawn_alike_both_times(tier):
    weight = ps.Variable(np.full(100, 2.0))
    dropped = ps.checkpoint(lambda x: x * ps.astype(ps.random.uniform((100,)) < 0.5, "float64"))
    seen = set()
    for _ in range(3):
        with ps.GradientTape() as tape:
            y = dropped(weight)
            loss = ps.sum(y)
        close(tape.gradient(loss, weight) * 2.0, y)
        seen.add(y.numpy().tobytes())
    assert len(seen) == 3, "and anew on each pass"


def test_second_order_through_a_checkpoint(tier):
    x = ps.asarray([0.3, -0.2], dtype="float64")
    want = ps.hessian(lambda x: ps.sum(ps.exp(ps.sin(x)) * x))(x)
    found = ps.hessian(ps.checkpoint(lambda x: ps.sum(ps.exp(ps.sin(x)) * x)))(x)
    close(found, want, rtol=1e-12)


def test_structures_pass_a_checkpoint(tier):
    f = ps.checkpoint(lambda d, k, flag=True: {"a": d["x"] * k if flag else k, "b": (d["y"],)})
    with ps.GradientTape() as tape:
        x = ps.Variable(2.0)
        out = f({"x": x, "y": np.float32(1.0)}, 3.0, flag=True)
        loss = out["a"] + out["b"][0]
    assert float(loss) == 7.0 and float(tape.gradient(loss, x)) == 3.0


def test_a_checkpoint_recomputes(tier):
    """The way back holds the block's program a second time, and takes only its arguments from the first."""
    x = ps.Variable(np.full(3, 0.123), name="x")
    f = ps.checkpoint(lambda x: ps.exp(ps.exp(ps.exp(x))))
    with ps.GradientTape() as tape:
        y = ps.sum(f(x))
    tape.gradient(y, x).numpy()
    calls = [s for p in programs.values() for s in p.steps if s.primitive is control.call]
    backward = [s for s in calls if s.params["again"]]
    assert backward and all(len(s.inputs) == 2 for s in backward if s.params["body"].count == 2)


def test_a_look_or_a_write_inside_is_refused():
    x = ps.Variable(1.0, name="x")
    with pytest.raises(ps.errors.CaptureError, match=r"float\(\) needs a value inside the checkpointed"):
        ps.checkpoint(lambda y: y * float(y))(ps.asarray(1.0))
    with pytest.raises(ps.errors.CaptureError, match="'x' was written inside the checkpointed") as caught:
        ps.checkpoint(lambda y: x.assign(y))(ps.asarray(1.0))
    assert caught.value.site.file == __file__
    assert float(x) == 1.0 and x.version == 0
    with pytest.raises(ps.errors.CaptureError, match="was written"):
        ps.checkpoint(lambda y: ps.optimizers.SGD(0.1).apply_gradients([(y, x)]))(ps.asarray(1.0))
    assert float(x) == 1.0


def test_a_tensor_that_leaves_its_program_says_so():
    kept = []

    def f(x):
        kept.append(x * 2.0)
        return x * 3.0

    ps.checkpoint(f)(ps.asarray(1.0))
    for use in (lambda t: t + 1.0, float, lambda t: ps.checkpoint(lambda x: x + t)(ps.asarray(1.0))):
        with pytest.raises(ps.errors.AbandonedError, match="belongs to the checkpointed f"):
            use(kept[0])


# -- cost ----------------------------------------------------------------------------------------------------


class Mixed:
    """A checkpointed block and a custom gradient, trained with a falling rate."""

    def __init__(self):
        self.w = ps.Variable([0.5, -0.25, 1.0])
        self.x = ps.asarray([1.0, 2.0, 3.0])

    def turn(self, i):
        @ps.custom_gradient
        def clipped(x):
            return x * 1.0, lambda upstream: ps.clip(upstream, -0.5, 0.5)

        body = ps.checkpoint(lambda x: ps.tanh(x * self.w) * (1.0 / (i + 1)))
        with ps.GradientTape() as tape:
            loss = ps.sum(clipped(body(self.x)) ** 2)
        self.w.assign_sub(0.1 * tape.gradient(loss, self.w))


def test_a_pass_is_one_launch_and_calls_no_rule():
    with use_engine("xla"):
        made = Mixed()
        for i in range(5):
            made.turn(i)
        ps.wait()
        before, compiled, nodes = launches(), count_compilations(), tree.count
        with rules() as counted:
            for i in range(5, 25):
                made.turn(i)
            ps.wait()
        assert not counted, counted
        assert launches() - before == 20
        assert count_compilations() == compiled and tree.count == nodes


def test_inside_a_captured_step(tier):
    w = ps.Variable([0.5, -0.25])
    body = ps.checkpoint(lambda x: ps.tanh(x * w) + ps.random.normal((2,)) * 0.0)

    @ps.step
    def train(x):
        with ps.GradientTape() as tape:
            y = body(log1pexp(x))
            loss = ps.sum(y * y)
        slope = tape.gradient(loss, w)
        w.assign_sub(slope * 0.1)
        return loss, slope

    copy = w.numpy()
    for x in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]):
        _, slope = train(ps.asarray(x))
        inner = np.log1p(np.exp(x))
        y = np.tanh(inner * copy)
        want = 2.0 * y * (1.0 - y * y) * inner
        close(slope, want, rtol=1e-4, atol=1e-6)
        copy = copy - 0.1 * want


# -- TensorFlow's names --------------------------------------------------------------------------------------


def test_names_of_tensorflow(tier):
    @tf.custom_gradient
    def f(x):
        def grad(upstream, variables=None):
            assert isinstance(upstream, tf.Tensor)
            return upstream * 5.0

        return tf.square(x), grad

    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = f(x)
    assert isinstance(y, tf.Tensor) and float(tape.gradient(y, x)) == 5.0
    block = tf.recompute_grad(lambda x: tf.tanh(x) * x)
    with tf.GradientTape() as tape:
        y = block(x)
    assert isinstance(y, tf.Tensor)
    close(tape.gradient(y, x), np.tanh(3.0) + 3.0 * (1 - np.tanh(3.0) ** 2), rtol=1e-6)
    with tf.GradientTape() as tape:
        y = tf.grad_pass_through(tf.round)(x * 1.2)
    assert float(tape.gradient(y, x)) == np.float32(1.2) and float(y) == 4.0
