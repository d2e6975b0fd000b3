import numpy as np
import tensorflow as tf

variable = tf.keras.Variable(np.ones((2, 2), "float32"), name="kernel")
mask = np.array([[1.0, 0.0], [1.0, 1.0]])
variable.assign(variable * mask)
print(variable.numpy().tolist(), variable.dtype)
variable.assign(tf.constant([[1, 2], [3, 4]]))
print(variable.numpy().tolist(), variable.dtype)
count = tf.keras.Variable(3, dtype="int64", trainable=False)
count.assign(tf.constant(7.9))
print(count.numpy(), count.dtype)
variable.assign_add(tf.ones((2, 2), "float64"))
print(variable.numpy().tolist(), variable.dtype)


class Positions(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.table = tf.keras.layers.Embedding(10, 3, embeddings_initializer="ones")

    def call(self, x):
        length = tf.shape(x)[-1]
        return self.table(tf.range(start=0, limit=length, delta=1)) + tf.cast(tf.range(length), "float32")[:, None]


inputs = tf.keras.Input((4,))
outputs = Positions()(inputs)
print(outputs.shape, tf.keras.Model(inputs, outputs)(tf.ones((2, 4))).numpy()[:, 0].tolist())
pictures = tf.keras.Input((None, None, 3))
cropped = tf.keras.layers.CenterCrop(5, 6)(pictures)
print(cropped.shape, tf.keras.layers.Conv2D(2, 3)(cropped).shape)
print(tf.keras.Model(pictures, cropped)(tf.ones((1, 9, 8, 3))).shape, tf.keras.Model(pictures, cropped)(tf.ones((1, 4, 8, 3))).shape)
