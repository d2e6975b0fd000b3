import logging
import tempfile
import warnings

import numpy as np
import tensorflow as tf
from tensorflow import keras

logging.getLogger("absl").setLevel("ERROR")
tf.get_logger().setLevel("ERROR")
folder = tempfile.mkdtemp()
warnings.simplefilter("ignore")
keras.utils.set_random_seed(1)
model = keras.Sequential(
    [keras.Input((3,)), keras.layers.Dense(4), keras.layers.BatchNormalization(), keras.layers.Dense(2)]
)
x = tf.constant(np.arange(6.0, dtype="float32").reshape(2, 3))


def refused(function):
    try:
        return function()
    except ValueError as error:
        return str(error).split("\n")[0][:60]


archive = tf.keras.export.ExportArchive()
print(refused(lambda: archive.write_out(folder)))
archive.track(model)
off = archive.add_endpoint(
    "off", lambda x: model.call(x, training=False), [keras.InputSpec("float32", (None, 3))]
)
print(np.allclose(off(x), model(x)))
archive.add_endpoint("on", lambda x: model.call(x, training=True), [tf.TensorSpec([None, 3], tf.float32)])
print(refused(lambda: archive.add_endpoint("on", model.call, [tf.TensorSpec([None, 3], tf.float32)])))
print(refused(lambda: archive.add_endpoint("other", model.call)))
print(refused(lambda: archive.track(keras.layers.Dense(2))))
archive.add_variable_collection("first", model.trainable_variables[:2])
print(len(archive.variables), len(archive.trainable_variables), len(archive.non_trainable_variables))
archive.write_out(f"{folder}/archive", verbose=False)

read = tf.saved_model.load(f"{folder}/archive")
print(sorted(read.signatures), [tuple(one.shape) for one in read.first], len(read.variables))
print(
    np.allclose(read.off(x), model(x)),
    np.allclose(read.signatures["serving_default"](x)["output_0"], model(x)),
)
print(np.allclose(read.on(x), model.call(x, training=True)))
print([one.numpy().round(3).tolist() for one in read.non_trainable_variables])
print(np.allclose(read.off(x), model(x)))

layer = keras.layers.TFSMLayer(f"{folder}/archive", call_endpoint="off", call_training_endpoint="on")
print(layer.name, layer.built, len(layer.weights), len(layer.trainable_weights), sorted(layer.get_config()))
print(layer(x).numpy().round(3).tolist(), layer(x, training=True).numpy().round(3).tolist())
print(refused(lambda: keras.layers.TFSMLayer(f"{folder}/archive")))
print(refused(lambda: keras.layers.TFSMLayer.from_config(layer.get_config())))
frozen = keras.layers.TFSMLayer(
    f"{folder}/archive", call_endpoint="serving_default", trainable=False, name="it"
)
print(frozen.name, len(frozen.trainable_weights), sorted(frozen(x)))
other = keras.Sequential(
    [keras.Input((3,)), keras.layers.TFSMLayer(f"{folder}/archive", call_endpoint="off")]
)
other.compile(keras.optimizers.SGD(0.1), "mse")
print(other.output_shape, np.round(other.fit(x, np.zeros((2, 2)), epochs=2, verbose=0).history["loss"], 2))
model.export(f"{folder}/model", verbose=False)
print(np.allclose(keras.layers.TFSMLayer(f"{folder}/model")(x), model(x)))

# A tf.function that was called has its own signature, and a layer its call.
dense = keras.layers.Dense(2, kernel_initializer="ones")
dense.build((None, 3))


@tf.function
def twice(x):
    return dense(x) * 2.0


archive = tf.keras.export.ExportArchive()
print(refused(lambda: archive.add_endpoint("twice", twice)).startswith("The provided tf.function"))
print(twice(x).numpy().tolist())
archive.track(dense)
archive.add_endpoint("twice", twice)
archive.write_out(f"{folder}/twice", verbose=False)
read = tf.saved_model.load(f"{folder}/twice")
print(read.twice(x).numpy().tolist())
archive = tf.keras.export.ExportArchive()
archive.track_and_add_endpoint("serve", dense, [tf.TensorSpec([None, 3], tf.float32)])
archive.write_out(f"{folder}/dense", verbose=False)
read = tf.saved_model.load(f"{folder}/dense")
print(read.serve(x).numpy().tolist())

# Models tell their layers what `call` is told.
ends = keras.Input((3,))
functional = keras.Model(ends, model.layers[1](model.layers[0](ends)))
for one in (model, functional):
    print([one.call(x, training=flag).numpy().round(3).tolist() for flag in (True, False, None)])
