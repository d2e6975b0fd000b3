"""A branch that is not taken is tried out for its gradients, and nothing else of it remains."""

import linecache

import numpy as np
import pytest

from penstock import tensorflow as tf


def numbers(gradients):
    return [None if one is None else one.numpy().tolist() for one in gradients]


@pytest.fixture
def pair():
    return [tf.Variable(2.0), tf.Variable(3.0)]


def test_what_the_other_side_would_do_is_not_done(pair, capfd):
    kept, called, box = [1.0], [], type("Box", (), {"value": 5.0, "items": {}})()
    count = tf.Variable(0)
    optimizer = tf.keras.optimizers.Adam(0.1)

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            if x > 0:
                y = pair[0] * x
            else:
                count.assign_add(1)
                box.value = pair[1] * x
                box.items["y"] = kept[0] = box.value
                tf.print("by the graph")
                print("by the trace")
                tf.py_function(called.append, [x], [])
                y = pair[1] * x
        gradients = tape.gradient(y, pair)
        optimizer.apply_gradients(zip(gradients, pair, strict=True))
        return gradients

    assert numbers(step(tf.constant(1.0))) == [1.0, 0.0]
    assert (count.numpy(), box.value, box.items, kept, called) == (0, 5.0, {}, [1.0], [])
    assert capfd.readouterr() == ("by the trace\n", "")
    assert pair[1].numpy() == 3.0
    assert numbers(step(tf.constant(-1.0))) == [0.0, -1.0]
    assert pair[0].numpy() == pytest.approx(1.833, abs=1e-3)
    assert count.numpy() == 1
    assert [float(one) for one in called] == [-1.0]
    assert capfd.readouterr() == ("", "by the graph\n")


def test_an_optimizer_on_the_other_side_is_not_applied(pair):
    optimizer = tf.keras.optimizers.SGD(0.1)

    @tf.function
    def step(x):
        with tf.GradientTape() as outer:
            y = pair[0] * x
            if x < 0:
                with tf.GradientTape() as tape:
                    z = pair[1] * pair[1]
                optimizer.apply_gradients([(tape.gradient(z, pair[1]), pair[1])])
        return outer.gradient(y, pair[0])

    assert step(tf.constant(1.0)).numpy() == 1.0
    assert (pair[1].numpy(), optimizer.iterations.numpy()) == (3.0, 0)


def test_trying_a_side_does_not_shift_draws(pair):
    def drawn(tries):
        tf.random.set_seed(3)

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                y = pair[0] * x
                if tries and x < 0:
                    y = y + tf.random.normal([])
            return tape.gradient(y, pair), tf.random.normal([2])

        return step(tf.constant(1.0))[1].numpy()

    np.testing.assert_array_equal(drawn(True), drawn(False))


def test_a_side_is_tried_once_for_each_signature(pair):
    tried = []

    def note(x):
        tried.append(tf.inside_function())
        return x

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            if tf.reduce_sum(x) > 0:  # noqa: SIM108
                y = pair[0] * tf.reduce_sum(x)
            else:
                y = pair[1] * tf.reduce_sum(note(x))
        return tape.gradient(y, pair)

    for _ in range(3):
        step(tf.ones([2]))
    assert len(tried) == 1
    step(tf.ones([3]))
    assert len(tried) == 2


def test_a_side_that_fails_keeps_none(pair):
    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            if x > 0:
                y = pair[0] * x
            else:
                y = pair[1] * float(x)
                raise ValueError("not here")
        return tape.gradient(y, pair)

    assert numbers(step(tf.constant(1.0))) == [1.0, None]


def test_a_function_without_source_keeps_none(pair):
    scope = {"tf": tf, "pair": pair}
    # Code objects of one text are equal, whatever their file.
    text = (
        "@tf.function\ndef step(x):\n    with tf.GradientTape() as tape:\n        y = pair[0] * x\n"
        "        if x < 0:\n            y = pair[1] * x\n    return tape.gradient(y, pair)\n"
    )
    exec(compile(text, "<no file>", "exec"), scope)
    assert numbers(scope["step"](tf.constant(1.0))) == [1.0, None]
    name = "<a cell>"
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    exec(compile(text, name, "exec"), scope)
    assert numbers(scope["step"](tf.constant(1.0))) == [1.0, 0.0]


def test_attributes_with_two_underscores_are_those_of_the_class():
    class Module(tf.Module):
        def __init__(self):
            super().__init__()
            self.__own = tf.Variable(4.0)
            self.other = tf.Variable(2.0)

        @tf.function
        def step(self, x):
            with tf.GradientTape() as tape:
                if not x < 0:  # noqa: SIM108
                    y = self.other * x
                else:
                    y = self.__own * x
            return tape.gradient(y, [self.__own, self.other])

    assert numbers(Module().step(tf.constant(1.0))) == [0.0, 1.0]


def test_the_step_before_is_not_taken_for_this_one(pair):
    @tf.function
    def step(x, use):
        with tf.GradientTape() as tape:
            y = pair[0] * x
            if use and x < 0:
                y = y + pair[1]
        return tape.gradient(y, pair)

    assert numbers(step(tf.constant(1.0), True)) == [1.0, 0.0]
    assert numbers(step(tf.constant(1.0), False)) == [1.0, None]


def test_a_gradient_after_the_step_has_run(pair):
    @tf.function
    def value(x):
        if x > 0:
            return pair[0] * x
        return pair[1] * x

    with tf.GradientTape() as tape:
        y = value(tf.constant(1.0))
    assert y.numpy() == 2.0
    pair[0].assign_add(0.0)
    assert pair[0].numpy() == 2.0
    assert numbers(tape.gradient(y, pair)) == [1.0, 0.0]
