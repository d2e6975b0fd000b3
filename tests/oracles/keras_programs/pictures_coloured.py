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
        for training in (True, True, False):
            show(layer(tf.constant(pictures), training=training))
        show(layer(tf.constant(pictures[0]), training=True))
        if hasattr(layer, "generator"):
            print(layer.generator.state.numpy().tolist())


changed(
    L.RandomBrightness(0.3, seed=5),
    L.RandomContrast(0.3, seed=5),
    L.RandomGrayscale(0.6, seed=5),
    L.RandomColorDegeneration(0.7, seed=5),
    L.RandomHue((0.1, 0.5), seed=5),
    L.RandomSaturation((0.2, 0.8), seed=5),
    L.RandomSharpness((0.2, 0.9), seed=5),
    L.RandomPosterization(4, seed=5),
    L.RandomPosterization((2, 7), seed=5),
    L.RandomColorJitter(
        brightness_factor=0.3, contrast_factor=0.4, saturation_factor=(0.3, 0.6), hue_factor=0.2, seed=5
    ),
    L.RandomInvert(0.5, seed=5),
    L.RandomGaussianBlur(1.0, kernel_size=3, sigma=0.8, seed=5),
    L.Solarization(0.2, 0.3, seed=5),
    L.AutoContrast(),
    L.Equalization(),
    L.RandomErasing(factor=1.0, scale=(0.1, 0.4), seed=5),
    L.RandomErasing(factor=0.5, scale=0.3, fill_value=7.0, seed=5),
)
pictures = pictures / 255
changed(
    L.RandomBrightness((-0.2, 0.6), value_range=(0, 1), seed=5),
    L.RandomContrast((0.2, 0.6), value_range=(0, 1), seed=5),
    L.RandomHue(0.2, value_range=(0, 1), seed=5),
    L.RandomInvert(1.0, value_range=(0, 1), seed=5),
    L.AutoContrast(value_range=(0, 1)),
    L.Solarization((0.1, 0.4), (0.3, 0.6), value_range=(0, 1), seed=5),
)
for make in (L.RandomHue, L.RandomSharpness, L.RandomErasing):
    layer = make(0.3, seed=4)
    for one in tf.data.Dataset.from_tensor_slices(pictures).batch(2).map(lambda x: layer(x, training=True)):
        show(one)
