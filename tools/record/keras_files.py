"""Write models with Keras as .keras files, and what they give, for tests that read them.

Usage, from the root of the repository, in an environment that has TensorFlow 2.21, Keras 3.15 and h5py:

    python tools/record/keras_files.py

It writes `functional.keras` and `row.keras` in `tests/oracles/weights`, and `keras_files.npz` beside them:
inputs, predictions, targets, and predictions after one step of training on them. `keras_configs.json` holds
what Keras writes of an object of each class; the layers are listed in `keras_layers.txt` beside this file.
"""

import sys
from pathlib import Path

import keras
import numpy as np
from records import ORACLES, write

layers = keras.layers


def functional():
    """Return a compiled model of two branches with an inner model."""
    x = keras.Input((4, 4, 2))
    # A bias that a normalization takes away has a gradient of rounding alone: Adam makes a step of it.
    h = layers.Conv2D(3, 2, activation="relu", kernel_regularizer="l2", use_bias=False)(x)
    h = layers.BatchNormalization()(h)
    a = layers.Flatten()(h)
    b = layers.GlobalAveragePooling2D()(x)
    inner = keras.Sequential([keras.Input((2,)), layers.Dense(3, activation=keras.activations.tanh)])
    joined = layers.Concatenate()([layers.Dense(3, name="left")(a), inner(b), layers.Dropout(0.0)(a)])
    return keras.Model(x, layers.Dense(2)(layers.LayerNormalization()(joined)))


def row():
    """Return a compiled row of layers over sequences."""
    return keras.Sequential([
        keras.Input((5, 3)), layers.Conv1D(4, 2),
        layers.Bidirectional(layers.LSTM(2, return_sequences=True)),
        layers.TimeDistributed(layers.Dense(2, use_bias=False)), layers.GRU(3), layers.LeakyReLU(0.1),
        layers.Dense(1),
    ])  # fmt: skip


GIVEN = {
    "Dense": (3,), "EinsumDense": ("ab,bc->ac", 3), "Embedding": (5, 2), "Conv1D": (2, 3),
    "Conv2D": (2, 3), "Conv3D": (2, 3), "Conv1DTranspose": (2, 3), "Conv2DTranspose": (2, 3),
    "Conv3DTranspose": (2, 3), "DepthwiseConv1D": (3,), "DepthwiseConv2D": (3,), "SeparableConv1D": (2, 3),
    "SeparableConv2D": (2, 3), "LSTM": (2,), "GRU": (2,), "SimpleRNN": (2,), "Dropout": (0.5,),
    "AlphaDropout": (0.5,), "Activation": ("relu",), "GaussianDropout": (0.5,), "GaussianNoise": (0.5,),
    "SpatialDropout1D": (0.5,), "SpatialDropout2D": (0.5,), "SpatialDropout3D": (0.5,), "Dot": (1,),
    "MultiHeadAttention": (2, 3), "Permute": ((2, 1),), "RepeatVector": (2,), "Rescaling": (2.0,),
    "Reshape": ((2, 3),), "AveragePooling1D": (2,), "AveragePooling2D": (2,), "AveragePooling3D": (2,),
}  # fmt: skip
"""What layers have to be given."""
LEFT_OUT = {"Lambda", "Bidirectional", "TimeDistributed"}
OTHERS = {
    "optimizers": "SGD Adam AdamW Adagrad Adadelta Adamax Nadam RMSprop Ftrl Lion",
    "losses": "MeanSquaredError MeanAbsoluteError Huber BinaryCrossentropy CategoricalCrossentropy Hinge "
    "SparseCategoricalCrossentropy KLDivergence Poisson LogCosh CosineSimilarity",
    "metrics": "Mean Sum Accuracy BinaryAccuracy SparseCategoricalAccuracy MeanSquaredError AUC",
    "initializers": "GlorotUniform HeNormal Zeros Ones RandomNormal Orthogonal TruncatedNormal",
    "regularizers": "L1 L2 L1L2",
    "constraints": "MaxNorm NonNeg UnitNorm MinMaxNorm",
}


def configs() -> dict[str, object]:
    """Return what Keras writes of an object of each class, made without arguments where it can be."""
    names = Path(__file__).with_name("keras_layers.txt").read_text(encoding="utf-8").split()
    every = {
        "layers": [name for name in names if name not in LEFT_OUT],
        **{kind: several.split() for kind, several in OTHERS.items()},
    }
    return {
        f"{kind}/{name}": keras.saving.serialize_keras_object(
            getattr(getattr(keras, kind), name)(*(GIVEN.get(name, ()) if kind == "layers" else ()))
        )
        for kind, several in every.items()
        for name in several
    }


def main() -> int:
    """Write the files."""
    write(ORACLES / "weights" / "keras_configs.json", configs())
    kept = {}
    for name, make in (("functional", functional), ("row", row)):
        model = make()
        weights = model.get_weights()
        model.set_weights([np.abs(np.cos(np.arange(w.size) + 1.0)).reshape(w.shape) / 3 for w in weights])
        shape = (6, *model.input_shape[1:])
        x = np.sin(np.arange(np.prod(shape))).reshape(shape).astype("float32")
        target = np.cos(np.arange(6 * model.output_shape[-1])).reshape(6, -1).astype("float32")
        model.compile(keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
        model.train_on_batch(x, target)
        model.save(ORACLES / "weights" / f"{name}.keras")
        kept |= {f"{name}/x": x, f"{name}/target": target, f"{name}/y": model.predict(x, verbose=0)}
        model.train_on_batch(x, target)
        kept[f"{name}/trained"] = model.predict(x, verbose=0)
    np.savez(ORACLES / "weights" / "keras_files.npz", **kept)
    return 0


if __name__ == "__main__":
    sys.exit(main())
