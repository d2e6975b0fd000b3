"""Cells of programs whose steps are one loop, and those whose steps are called one after another."""

import functools
import time

import numpy as np
import pytest

import penstock.tensorflow as tf
from penstock.tensorflow.keras._pure_cells import is_pure
from test_recurrent import steps_of

layers = tf.keras.layers
drawn, seen = np.random.default_rng(0), []
settings = {"scale": 2.0}
SCALE = 2.0


class Own(layers.Layer):
    """A cell with a kernel; what it does besides is written by others."""

    state_size = output_size = 3

    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1] + 3, 3), name="kernel", initializer="ones")

    @property
    def scale(self):
        return SCALE

    def call(self, inputs, states):
        state = tf.tanh(tf.matmul(tf.concat([inputs, states[0]], 1), self.kernel)) / self.scale
        return state, [state]


class Inherits(Own):
    def call(self, inputs, states):
        first, *_ = [one * float(np.sqrt(2.0)) for one in states]
        return super().call(inputs[:, : int(inputs.shape[-1])], [first])


class WithLayers(Own):
    def __init__(self, activation="tanh", penalty=None):
        super().__init__()
        self.dense = layers.Dense(3, activation, activity_regularizer=penalty)

    def build(self, shape):
        super().build(shape)
        self.dense.build((shape[0], 3))

    def call(self, inputs, states):
        output, states = super().call(inputs, states)
        return self.dense(output), states


class Attribute(Own):
    def call(self, inputs, states):
        self.latest = inputs
        return super().call(inputs, states)


class Lists(Own):
    def call(self, inputs, states):
        seen.append(1)
        return super().call(inputs, states)


class Inherited(Own):
    generator = drawn

    def call(self, inputs, states):
        return super().call(inputs * float(self.generator.normal()), states)


class OfTheModule(Own):
    def call(self, inputs, states):
        return super().call(inputs * float(drawn.normal()), states)


class Settings(Own):
    def call(self, inputs, states):
        return super().call(inputs * settings["scale"], states)


class Clock(Own):
    def call(self, inputs, states):
        return super().call(inputs * float(time.time() > 0.0), states)


class Indirect(Own):
    @property
    def scale(self):
        print("scale")
        return 2.0


class Iterates(Own):
    def __init__(self):
        super().__init__()
        self.scales = iter([2.0] * 100)

    def call(self, inputs, states):
        return super().call(inputs * next(self.scales), states)


class Wrapped(Own):
    @tf.function
    def call(self, inputs, states):
        state = tf.tanh(tf.matmul(tf.concat([inputs, states[0]], 1), self.kernel))
        return state, [state]


class Partly(Own):
    def __init__(self):
        super().__init__()
        self.function = functools.partial(tf.multiply, 2.0)

    def call(self, inputs, states):
        return super().call(self.function(inputs), states)


class Draws(Own):
    def call(self, inputs, states):
        return super().call(tf.nn.dropout(inputs, 0.5), states)


class Losing(Own):
    def call(self, inputs, states):
        self.add_loss(tf.reduce_sum(inputs))
        return super().call(inputs, states)


def shouted(x):
    print("activation")
    return x


def closed(count=None):
    count = [0]

    class Closed(Own):
        def call(self, inputs, states):
            count[0] += 1
            return super().call(inputs, states)

    return Closed()


PURE = [Own, Inherits, WithLayers]
OTHERS = {
    **{
        kind.__name__: kind
        for kind in (
            Attribute, Lists, Inherited, OfTheModule, Settings, Clock, Indirect, Iterates, Wrapped, Partly,
            Draws, Losing,
        )
    },
    "an activation that prints": lambda: WithLayers(shouted),
    "an activity regularizer": lambda: WithLayers("tanh", "l2"),
    "dropout inside": lambda: layers.StackedRNNCells([Own(), WithLayers(layers.Dropout(0.5))]),
    "a counter around it": closed,
}  # fmt: skip


def trained(make, steps):
    layer, x = layers.RNN(make(), return_sequences=True), tf.ones([2, steps, 3])
    layer(x)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(x))
    return tape.gradient(loss, layer.trainable_variables)[0].numpy()


@pytest.mark.parametrize("make", PURE)
def test_a_pure_cell_is_one_loop_in_each_direction(make):
    few, many = (steps_of(lambda steps=steps: trained(make, steps)) for steps in (7, 50))
    assert few == many
    assert few[0] == 2


@pytest.mark.parametrize("name", OTHERS)
def test_other_cells_are_called_at_each_step(name, monkeypatch):
    looped = []
    monkeypatch.setattr(layers.RNN, "_looped", lambda *given: looped.append(given))
    cell = OTHERS[name]()
    layer = layers.RNN(cell, return_sequences=True)
    for _ in range(2):
        assert layer(tf.ones([2, 4, 3])).shape == (2, 4, 3)
    assert not is_pure(cell, lambda one: False)
    assert not looped


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("make", PURE)
def test_a_loop_has_the_values_and_gradients_of_its_steps(make, masked):
    x = tf.constant(np.random.default_rng(0).normal(size=(2, 5, 3)).astype(np.float32))
    mask = (
        tf.constant([[True, True, False, True, False], [False, True, True, True, True]]) if masked else None
    )
    cell, found = make(), []
    for unroll in (False, True):
        layer = layers.RNN(cell, return_sequences=True, return_state=True, unroll=unroll)
        layer(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            output, state = layer(x, mask=mask)
            loss = tf.reduce_sum(output**2) + tf.reduce_sum(state)
        found.append([output, state, *tape.gradient(loss, [x, *layer.trainable_variables])])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-5, atol=1e-6)


def test_a_cell_that_reads_values_is_called_at_each_step():
    class Chooses(Own):
        def call(self, inputs, states):
            output, states = super().call(inputs, states)
            return (output if float(tf.reduce_sum(output)) > 0.0 else -output), states

    x = tf.ones([1, 4, 3])
    found = layers.RNN(Chooses(), return_sequences=True)(x * -1.0).numpy()
    assert (found >= 0.0).all()
