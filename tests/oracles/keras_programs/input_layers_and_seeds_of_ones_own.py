"""InputLayer as it is written by hand, and a layer of one's own that keeps its seed_generator."""

import tensorflow as tf


class Sampling(tf.keras.layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.seed_generator = tf.keras.random.SeedGenerator(1337)

    def call(self, inputs):
        mean, log_var = inputs
        noise = tf.keras.random.normal(tf.shape(mean), seed=self.seed_generator)
        return mean + tf.exp(0.5 * log_var) * noise


encoder = tf.keras.Sequential(
    [
        tf.keras.layers.InputLayer(shape=(4, 4, 1), name="picture"),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(2, kernel_initializer="ones"),
    ]
)
print(encoder.input_shape, encoder.output_shape, [layer.name for layer in encoder.layers])
print(encoder(tf.ones((1, 4, 4, 1))).numpy())

model = tf.keras.Sequential()
model.add(tf.keras.layers.InputLayer(batch_shape=(2, 3), dtype="int32"))
model.add(tf.keras.layers.Embedding(5, 2, embeddings_initializer="ones"))
print(model.input_shape, model.inputs[0].dtype)

layer = tf.keras.layers.InputLayer((3,), batch_size=6)
print(layer.output.shape, layer.batch_shape, layer.dtype)
wide = tf.keras.layers.InputLayer(input_tensor=layer.output)
print(wide.output.shape)

sampling = Sampling(name="z")
for _ in range(2):
    print(sampling([tf.zeros((1, 2)), tf.zeros((1, 2))]).numpy().round(4))
first = tf.keras.Input((2,))
second = tf.keras.Input((2,))
both = tf.keras.Model([first, second], sampling([first, second]))
print(both([tf.zeros((1, 2)), tf.zeros((1, 2))]).shape)

for words in (
    {},
    {"shape": (3,), "batch_shape": (2, 3)},
    {"batch_size": 2, "batch_shape": (2, 3)},
    {"input_tensor": first, "shape": (5,)},
    {"input_tensor": first, "dtype": "int32"},
):
    try:
        tf.keras.layers.InputLayer(**words)
    except ValueError as error:
        print(str(error).split("\n")[0])
