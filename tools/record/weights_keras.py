"""Weights and results of Keras' models: `tests/oracles/weights/keras_*.safetensors` and `keras.json`.

Usage, in an environment that has TensorFlow 2.21, Keras 3.15 and safetensors:
python tools/record/weights_keras.py

Keras writes no safetensors itself; the files have the variables by their paths, as users write them, and one
has them as Keras' own .h5 files do, numbered within their layer.
"""

import h5py
import keras
import numpy as np
from keras import layers
from records import ORACLES, write
from safetensors.numpy import save_file

FOLDER = ORACLES / "weights"


def models():
    """The models, each with its input."""
    rng = np.random.default_rng(0)
    rows = [layers.Dense(5, "relu"), layers.Dropout(0.5), layers.LayerNormalization(), layers.Dense(3)]
    yield "rows", keras.Sequential(rows), rng.standard_normal((3, 4))
    inputs = keras.Input((8, 8, 3))
    x = layers.Conv2D(4, 3, use_bias=False)(inputs)
    x = layers.BatchNormalization()(x)
    x = layers.DepthwiseConv2D(3, depth_multiplier=2)(x)
    x = layers.SeparableConv2D(6, 3)(x)
    x = layers.GroupNormalization(2)(x)
    x = layers.Conv2DTranspose(5, 2, strides=2)(x)
    x = layers.PReLU(shared_axes=[1, 2])(x)
    x = layers.GlobalAveragePooling2D()(x)
    yield "image", keras.Model(inputs, layers.Dense(2)(x)), rng.standard_normal((2, 8, 8, 3))
    text = [
        layers.Embedding(7, 6), layers.LSTM(5, return_sequences=True), layers.GRU(4, return_sequences=True),
        layers.SimpleRNN(3, return_sequences=True), layers.Bidirectional(layers.LSTM(2)),
    ]  # fmt: skip
    yield "text", keras.Sequential(text), rng.integers(0, 7, (2, 4))
    inputs = keras.Input((5, 8))
    x = layers.MultiHeadAttention(2, 4)(inputs, inputs)
    yield "attention", keras.Model(inputs, layers.RMSNormalization()(x)), rng.standard_normal((2, 5, 8))


def main():
    """Writes the files and the record."""
    keras.utils.set_random_seed(0)
    record = {"keras": keras.__version__}
    for name, model, given in models():
        given = given.astype("float32" if given.dtype.kind == "f" else "int32")
        model(given)
        rng = np.random.default_rng(1)
        for variable in model.variables:
            if "seed" not in variable.path:
                noise = 0.1 * rng.standard_normal(variable.shape)
                variable.assign(np.abs(variable.numpy() + noise).astype(variable.dtype))
        model(given, training=True)
        save_file({v.path: v.numpy() for v in model.variables}, FOLDER / f"keras_{name}.safetensors")
        inputs, output = given.tolist(), model(given, training=False).numpy().tolist()
        record[name] = {"inputs": [inputs], "output": output}
        if name == "rows":
            path = FOLDER / "rows.weights.h5"
            model.save_weights(path)
            found = {}
            with h5py.File(path) as file:
                file.visititems(
                    lambda key, one, found=found: (
                        found.update({key: np.asarray(one)}) if isinstance(one, h5py.Dataset) else None
                    )
                )
            path.unlink()
            save_file(found, FOLDER / "keras_numbered.safetensors")
            record["numbered"] = record[name]
    write(FOLDER / "keras.json", record)


if __name__ == "__main__":
    main()
