import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow import keras

folder = tempfile.mkdtemp()
x = np.arange(6.0, dtype="float32").reshape(2, 3)
keras.utils.set_random_seed(1)
factor = 3.0


def scaled(by):
    return lambda x, more=1.0: x * by + more


def double(x):
    return x * 2


def made(function, **options):
    layers = [keras.Input((3,)), keras.layers.Lambda(function, **options), keras.layers.Dense(2)]
    return keras.Sequential(layers)


def loaded(model, path, **options):
    """Says whether a model comes back from a file, or which error was raised."""
    try:
        other = keras.models.load_model(path, **options)
        return np.allclose(other(x), model(x))
    except ValueError as error:
        return str(error).split("\n")[0][:72]
    except (NameError, TypeError) as error:
        return type(error) is not ValueError


for ending in ("keras", "h5"):
    path = os.path.join(folder, f"model.{ending}")
    for model in (
        made(lambda x: x * 2.0 + 1.0),
        made(scaled(4.0)),
        made(lambda x, by: x * by, arguments={"by": 5.0}),
        made(lambda x: x[:, :2], output_shape=(2,)),
    ):
        model.save(path)
        print(ending, loaded(model, path), loaded(model, path, safe_mode=False))
    model = made(double)
    model.save(path)
    print(ending, loaded(model, path, custom_objects={"double": double}))

config = keras.layers.Lambda(lambda x: x + 1.0).get_config()
print(config["function"]["class_name"], sorted(config["function"]["config"]))
try:
    keras.layers.Lambda.from_config(config)
except ValueError as error:
    print(str(error).split("\n")[0][:72])
model = made(lambda x: x - 1.0)
model.save(path)
print(loaded(model, path))
keras.config.enable_unsafe_deserialization()
print(loaded(model, path), keras.layers.Lambda.from_config(config)(tf.constant(1.0)).numpy())

# Words, one at a time.
words = tf.constant(["ab", "c"])
print(tf.map_fn(tf.strings.length, words, fn_output_signature=tf.int32).numpy().tolist())
print(tf.map_fn(tf.strings.upper, words).numpy().tolist())
print(
    tf.map_fn(lambda n: tf.strings.as_string(n), tf.constant([1, 2]), fn_output_signature=tf.string).numpy()
)
