import numpy as np
import tensorflow as tf

keras, layers = tf.keras, tf.keras.layers
print(keras.backend.floatx(), keras.config.floatx(), keras.backend.image_data_format(), keras.backend.epsilon())
keras.backend.set_floatx("float64")
print(keras.config.floatx(), keras.Input((2,)).dtype, keras.config.dtype_policy().name)
model = keras.Sequential([keras.Input((2,)), layers.Dense(2, kernel_initializer="ones"), layers.Dense(1)])
print([weight.dtype for weight in model.weights], model(np.ones((1, 2), "float32")).dtype)
print(keras.losses.MeanSquaredError()(tf.ones((1, 1)), tf.zeros((1, 1))).numpy().dtype)
print(keras.backend.cast_to_floatx([1]).dtype, keras.random.normal((1,)).dtype)


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = layers.Dense(3)

    def call(self, x):
        return self.inner(x)


own = Own()
own.compile("sgd", "mse")
own.fit(np.ones((4, 2)), np.ones((4, 3)), verbose=0)
print(own(np.ones((1, 2))).dtype, own.inner.kernel.dtype)
try:
    keras.backend.set_floatx("int32")
except ValueError as error:
    print(str(error)[:40])
keras.backend.set_floatx("float32")
print(layers.Dense(1)(tf.ones((1, 2))).dtype)
keras.backend.clear_session()
print(layers.Dense(1)(tf.ones((1, 2))).dtype, tf.TensorShape([2, None]).dims)
