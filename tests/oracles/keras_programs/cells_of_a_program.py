"""RNN over cells that the program has written: some do the same at each step, and others count, print or draw."""

import numpy as np
import tensorflow as tf

layers = tf.keras.layers
x = tf.constant(np.linspace(-1.0, 1.0, 24).reshape(2, 4, 3), tf.float32)
mask = tf.constant([[True, False, True, True], [False, True, True, False]])
numbers = np.random.default_rng(3)
total = [0]


class Cell(layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.state_size = 2
        self.output_size = 2

    def build(self, shape):
        self.kernel = self.add_weight(
            shape=(shape[-1] + 2, 2), name="kernel", initializer=tf.keras.initializers.RandomUniform(seed=3)
        )
        self.built = True

    def joined(self, inputs, states):
        return tf.concat([inputs, states[0]], 1)

    def call(self, inputs, states):
        state = tf.tanh(tf.matmul(self.joined(inputs, states), self.kernel))
        return state * 2.0, [state]


class Inside(Cell):
    """Calls what it has inherited, and a layer."""

    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(2, "tanh", kernel_initializer="ones")

    def build(self, shape):
        super().build(shape)
        self.dense.build((shape[0], 2))

    def call(self, inputs, states):
        output, states = super().call(inputs, states)
        return self.dense(output), states


class Counting(Cell):
    def joined(self, inputs, states):
        total[0] += 1
        return super().joined(inputs, states) * float(total[0])


class Drawing(Cell):
    def call(self, inputs, states):
        output, states = super().call(inputs, states)
        return output + float(numbers.normal()), states


class Printing(Cell):
    def call(self, inputs, states):
        print("step", inputs.shape)
        return super().call(inputs, states)


class Dropping(Cell):
    def __init__(self):
        super().__init__()
        self.dropped = layers.Dropout(0.5, seed=3)

    def call(self, inputs, states, training=False):
        output, states = super().call(inputs, states)
        return self.dropped(tf.ones_like(output), training=training), states


class Seeded(Cell):
    def __init__(self):
        super().__init__()
        self.generator = tf.keras.random.SeedGenerator(4)

    def call(self, inputs, states):
        output, states = super().call(inputs, states)
        return output + tf.keras.random.uniform(output.shape, seed=self.generator), states


class Choosing(Cell):
    """Reads a value, which a loop of the program has none of."""

    def call(self, inputs, states):
        output, states = super().call(inputs, states)
        return (output if float(tf.reduce_sum(output)) > 0.0 else -output), states


def shown(values):
    return [one if one is None else (np.round(np.asarray(one), 3) + 0.0).tolist() for one in tf.nest.flatten(values)]


for kind in (Cell, Inside, Counting, Drawing, Printing, Dropping, Seeded, Choosing):
    for options in ({}, {"return_sequences": True, "go_backwards": True}, {"unroll": True}):
        layer = layers.RNN(kind(), return_state=True, **options)
        layer.build(x.shape)
        with tf.GradientTape() as tape:
            found = layer(x, training=True)
            loss = tf.reduce_mean(found[0] ** 2)
        print(kind.__name__, shown(found), shown(tape.gradient(loss, layer.trainable_variables)))
        print(shown(layer(x, mask=mask, training=True)), total[0])
        print([one.path.split("/", 1)[1] for one in layer.weights])
stack = layers.RNN([Cell(), layers.GRUCell(3, kernel_initializer="ones", recurrent_initializer="ones"), Cell()])
print(shown(stack(x)))
