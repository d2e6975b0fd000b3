import json
import os
import tempfile
import warnings

import numpy as np
import tensorflow as tf

keras, layers, ops = tf.keras, tf.keras.layers, tf.keras.ops
warnings.simplefilter("ignore")
folder = tempfile.mkdtemp()


def fill(model):
    model.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in model.get_weights()])


def kept(name, model, *given):
    """The operations of the file, and whether what is read from it computes the same."""
    fill(model)
    path = os.path.join(folder, name + ".keras")
    model.save(path)
    for entry in json.loads(model.to_json())["config"]["layers"]:
        if "ops" in str(entry["module"]):
            print(name, json.dumps(entry, sort_keys=True))
    other = keras.models.load_model(path)
    print([one.name for one in other.operations])
    print(np.abs(np.asarray(other(*given)) - np.asarray(model(*given))).max() == 0.0)
    other = keras.models.clone_model(model)
    other.set_weights(model.get_weights())
    print([one.name for one in other.operations][1:])
    print(np.abs(np.asarray(other(*given)) - np.asarray(model(*given))).max() == 0.0)
    print(np.round(np.asarray(model(*given)).reshape(-1)[:8], 4).tolist())


images = np.sin(np.arange(2 * 4 * 6 * 3.0)).reshape(2, 4, 6, 3).astype("float32") * 100 + 120
x = keras.Input((4, 6, 3))
h = layers.Dense(5)(x / 127.5 - 1)
kept("scaled", keras.Model(x, layers.Dense(2)(ops.mean(ops.relu(h), axis=(1, 2)))), images)

x = keras.Input((4, 6, 3))
h = -(2.0 - x) // 3 % 5
h = h[:, 1:, ::2] @ h[:, 1:, ::2, :3]
h = ops.concatenate([h, abs(h) ** 0.5, ops.maximum(h, 1)], axis=-1)
h = ops.where(h > 0.5, h, 0.0) + ops.cast(h <= 2, "float32")
kept("many", keras.Model(x, h[..., None, 0]), images)

x, y = keras.Input((6,)), keras.Input((6,), name="y")
h = ops.einsum("bi,bj->bij", x, y)
h = ops.softmax(ops.transpose(h, (0, 2, 1)), axis=1) * ops.expand_dims(x, axis=-1)
h = ops.stack([ops.max(h, axis=1), ops.sum(h, axis=2), ops.reshape(h, (-1, 36))[:, :6]], axis=1)
h = ops.clip(ops.square(h), 0.1, 4.0) - ops.log(1 + ops.exp(h))
vectors = np.cos(np.arange(12.0)).reshape(2, 6).astype("float32")
kept("two", keras.Model([x, y], ops.split(h, 3, axis=1)[1]), [vectors, vectors[:, ::-1]])

keras.Model(x, ops.relu(x) - ops.relu(0.5 * x)).summary()
