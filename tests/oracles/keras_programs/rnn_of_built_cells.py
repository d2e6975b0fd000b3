import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(4)


class Heads(keras.layers.Layer):
    def __init__(self, units, heads, **options):
        super().__init__(**options)
        self.units, self.heads, self.length = units, heads, None
        self.state_size = units

    def build(self, input_shape):
        print("cell", input_shape)
        self.length = self.units // self.heads
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), name="kernel")
        self.built = True

    def get_initial_state(self, batch_size=None):
        return [keras.ops.ones((batch_size, self.heads, self.length))]

    def call(self, inputs, states, training=False):
        before = states[0]
        heads = keras.ops.reshape(keras.ops.matmul(inputs, self.kernel), (-1, self.heads, self.length))
        now = 0.5 * before + keras.ops.tanh(heads)
        return keras.ops.reshape(now, (-1, self.units)), [now]


class Block(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.memory = keras.layers.RNN(Heads(4, 2), return_sequences=True)
        self.norm = keras.layers.LayerNormalization()

    def build(self, input_shape):
        self.memory.build(input_shape)
        shape = self.memory.compute_output_shape(input_shape)
        print("block", shape)
        self.norm.build(shape)
        self.built = True

    def call(self, inputs):
        return self.norm(self.memory(inputs))


model = keras.Sequential([keras.Input((5, 3)), Block(), keras.layers.Dense(1)])
x = np.linspace(-1, 1, 30).reshape(2, 5, 3).astype("float32")
print(model(x).numpy().ravel().round(4))
print([(one.path, one.shape) for one in model.weights])

stacked = keras.layers.RNN([Heads(4, 2), keras.layers.GRUCell(3)], return_state=True)
stacked.build((None, 5, 2))
print([one.shape for one in stacked.weights], stacked.built, stacked.cell.built)
lstm = keras.layers.RNN(keras.layers.LSTMCell(3), return_sequences=True, return_state=True)
print(lstm.compute_output_shape((None, 5, 2)))
print(keras.layers.RNN(keras.layers.GRUCell(3)).compute_output_shape((7, None, 2)))
print([tf.convert_to_tensor(one).shape for one in lstm(x)])
