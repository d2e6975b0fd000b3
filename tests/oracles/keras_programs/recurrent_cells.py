import numpy as np
import tensorflow as tf

layers = tf.keras.layers
x = np.sin(np.arange(24, dtype="float32")).reshape(2, 4, 3)


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


def shown(value):
    return [shown(one) for one in value] if isinstance(value, (list, tuple)) else np.round(value.numpy(), 4).tolist()


for make in (
    lambda: layers.SimpleRNNCell(2), lambda: layers.LSTMCell(2), lambda: layers.GRUCell(2),
    lambda: layers.GRUCell(2, reset_after=False), lambda: layers.LSTMCell(2, use_bias=False, activation="relu"),
    lambda: [layers.LSTMCell(3), layers.GRUCell(2)],
):
    for options in ({}, {"return_sequences": True, "return_state": True}, {"go_backwards": True}):
        layer = layers.RNN(make(), **options)
        layer(x)
        fill(layer)
        print(type(layer.cell).__name__, [w.shape for w in layer.get_weights()], shown(layer(x)))
cell = layers.LSTMCell(2)
states = cell.get_initial_state(batch_size=2)
print([one.shape for one in states], cell.state_size, cell.output_size)
output, states = cell(x[:, 0], states)
fill(cell)
print(shown(cell(x[:, 0], cell.get_initial_state(batch_size=2))), [w.path for w in cell.weights])
print(np.round(cell.bias.numpy(), 3).tolist(), layers.RNN(layers.GRUCell(2)).state_size)


class Own(layers.Layer):
    def __init__(self, units, **options):
        super().__init__(**options)
        self.units = units
        self.state_size = units

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), initializer="ones", name="kernel")

    def call(self, inputs, states):
        output = tf.matmul(inputs, self.kernel) + 0.5 * states[0]
        return output, [output]


layer = layers.RNN(Own(2), return_sequences=True)
print(shown(layer(x)))
model = tf.keras.Sequential([tf.keras.Input((4, 3)), layers.Masking(), layers.RNN(layers.GRUCell(2)), layers.Dense(1)])
fill(model)
masked = x.copy()
masked[0, 2:] = 0
print(np.round(model(masked).numpy(), 4).tolist(), model.count_params())
model.compile("sgd", "mse")
print([round(one, 4) for one in model.fit(masked, np.ones((2, 1)), epochs=2, verbose=0).history["loss"]])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(layer(x) ** 2)
print(np.round(tape.gradient(loss, layer.trainable_variables)[0].numpy(), 3).tolist())
start = layers.RNN(layers.SimpleRNNCell(2))
start(x)
fill(start)
print(shown(start(x, initial_state=[np.ones((2, 2), "float32")])))
layers.RNN(layers.Dense(2))
