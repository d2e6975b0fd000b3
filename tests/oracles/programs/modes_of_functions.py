import numpy as np
import tensorflow as tf


def kinds(*values):
    print([type(value).__name__ for value in values], [getattr(value, "shape", None) for value in values])
    return np.float32(1)


given = [tf.constant(1.0), tf.constant([1.0, 2.0]), tf.constant("a"), tf.constant(["a"]), tf.constant(True)]
tf.numpy_function(kinds, given, tf.float32)
tf.function(lambda *values: tf.numpy_function(kinds, list(values), tf.float32))(*given)
list(tf.data.Dataset.from_tensors(tuple(given)).map(lambda *values: tf.numpy_function(kinds, list(values), tf.float32)))


@tf.function
def function():
    print(tf.executing_eagerly(), tf.inside_function(), tf.compat.v1.executing_eagerly())
    with tf.init_scope():
        print(tf.executing_eagerly(), tf.compat.v1.executing_eagerly_outside_functions())
    return 1


function()
function()


class Model(tf.keras.Model):
    def call(self, x):
        print("call", tf.executing_eagerly())
        return x

    def train_step(self, data):
        print("train_step", tf.executing_eagerly())
        return {"loss": 0.0}


model = Model()
model(tf.ones([1, 2]))
model.compile("sgd", "mse")
model.fit(np.ones([4, 2]), np.ones([4, 2]), verbose=0)
tf.map_fn(lambda x: (print("map_fn", tf.executing_eagerly()), x)[1], tf.constant([1.0]))
asked = tf.data.Dataset.range(1).map(
    lambda x: tf.py_function(lambda y: (print("py_function", tf.executing_eagerly()), y)[1], [x], tf.int64)
)
list(asked)
print(tf.get_static_value(tf.constant(3)), tf.get_static_value(tf.Variable(1)))


@tf.function
def fibonacci(n):
    numbers = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    numbers = numbers.unstack([0.0, 1.0])
    for i in range(2, n):
        numbers = numbers.write(i, numbers.read(i - 1) + numbers.read(i - 2))
    return numbers.stack()


print(fibonacci(7).numpy().tolist())
tf.config.run_functions_eagerly(True)
function()
tf.config.run_functions_eagerly(False)
