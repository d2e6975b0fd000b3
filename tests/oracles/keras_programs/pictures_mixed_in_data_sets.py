import random

import numpy as np
import tensorflow as tf

layers = tf.keras.layers
pictures = (128 + 100 * np.cos(np.arange(4 * 8 * 8 * 3) * 0.37)).reshape(4, 8, 8, 3).astype("float32")
labels = np.eye(4, dtype="float32")
for kind in ("AugMix", "RandAugment", "CutMix", "MixUp"):
    tf.keras.utils.set_random_seed(5)
    random.seed(5)
    layer = getattr(layers, kind)(seed=7)
    data = tf.data.Dataset.from_tensor_slices(pictures).batch(2).map(lambda x: layer(x))
    for one in data:
        print(kind, one.dtype, one.shape, np.round(one.numpy()[0, 1, :2].ravel(), 2).tolist())
    for one in data:
        print(kind, np.round(one.numpy()[1, 2, :2].ravel(), 2).tolist())
for kind in ("CutMix", "MixUp"):
    tf.keras.utils.set_random_seed(5)
    layer = getattr(layers, kind)(seed=7)
    data = tf.data.Dataset.from_tensor_slices({"images": pictures, "labels": labels}).batch(2)
    for one in data.map(layer):
        print(kind, np.round(one["labels"].numpy(), 3).tolist())
    data = tf.data.Dataset.from_tensor_slices((pictures, labels)).batch(2)
    for x, y in data.map(lambda x, y: tuple(layer({"images": x, "labels": y}).values())):
        print(kind, np.round(x.numpy()[0, 0, 0], 2).tolist(), np.round(y.numpy(), 3).tolist())
for kind in ("RandomErasing", "RandomPosterization", "Solarization", "RandomColorJitter", "RandomGaussianBlur", "RandomInvert", "RandomGrayscale", "RandomElasticTransform", "RandomPerspective", "RandomShear"):
    tf.keras.utils.set_random_seed(5)
    options = {"RandomPosterization": {"factor": 4}, "RandomColorJitter": {"brightness_factor": 0.3, "hue_factor": 0.2}}.get(kind, {})
    layer = getattr(layers, kind)(seed=7, **options)
    for one in tf.data.Dataset.from_tensor_slices(pictures).batch(2).map(layer):
        print(kind, one.dtype, np.round(one.numpy()[0, 1, :2].ravel(), 2).tolist())
    for one in tf.data.Dataset.from_tensor_slices(pictures).take(2).map(layer):
        print(kind, one.dtype, np.round(one.numpy()[1, :2].ravel(), 2).tolist())
