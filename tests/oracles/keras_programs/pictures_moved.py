import numpy as np
import tensorflow as tf

keras, L = tf.keras, tf.keras.layers
draws = np.random.RandomState(0)
pictures = (draws.rand(2, 5, 6, 3) * 255).astype("float32")


def show(value):
    print(value.dtype.name, tuple(value.shape), np.round(np.asarray(value.numpy(), "float64").ravel()[::7], 3).tolist())


def changed(*layers):
    for layer in layers:
        print(layer.name)
        for training in (True, False):
            show(layer(tf.constant(pictures), training=training))
        show(layer(tf.constant(pictures[0]), training=True))
        if hasattr(layer, "generator"):
            print(layer.generator.state.numpy().tolist())


for mode in ("horizontal", "vertical", "horizontal_and_vertical"):
    changed(L.RandomFlip(mode, seed=5))
for fill in ("reflect", "constant", "nearest", "wrap"):
    changed(
        L.RandomRotation(0.2, fill_mode=fill, seed=5),
        L.RandomZoom((-0.3, 0.4), fill_mode=fill, seed=5),
        L.RandomTranslation(0.3, (-0.2, 0.4), fill_mode=fill, seed=5),
        L.RandomShear(0.3, 0.2, fill_mode=fill, seed=5),
    )
changed(
    L.RandomRotation((-0.1, 0.3), interpolation="nearest", fill_mode="constant", fill_value=7.0, seed=5),
    L.RandomZoom(0.2, (-0.1, 0.3), interpolation="nearest", fill_value=3.0, fill_mode="constant", seed=5),
    L.RandomPerspective(factor=1.0, scale=0.4, seed=5),
    L.RandomPerspective(factor=0.6, scale=0.4, interpolation="nearest", fill_value=2.0, seed=5),
    L.RandomElasticTransform(factor=1.0, scale=1.0, seed=5),
    L.RandomCrop(3, 4, seed=5),
    L.RandomCrop(7, 9, seed=5),
    L.RandomCrop(7, 3, seed=5),
    L.CenterCrop(3, 4),
    L.CenterCrop(7, 4),
    L.Resizing(3, 4, crop_to_aspect_ratio=True),
    L.Resizing(12, 4, pad_to_aspect_ratio=True, fill_value=9.0),
    L.Pipeline([L.RandomFlip("horizontal", seed=1), L.Rescaling(0.5)]),
)
first = tf.constant(np.moveaxis(pictures, -1, 1))
for kind, arguments in ((L.RandomFlip, ("horizontal",)), (L.RandomRotation, (0.2,)), (L.RandomCrop, (3, 3))):
    show(kind(*arguments, data_format="channels_first", seed=1)(first, training=True))
show(L.Resizing(4, 4, data_format="channels_first")(first))
show(L.Resizing(4, 4)(tf.constant(pictures.astype("uint8"))))
