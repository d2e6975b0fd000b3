"""Images at another size, by each method, with antialias and without."""

import numpy as np
import tensorflow as tf

image = tf.Variable(np.cos(np.arange(4 * 5 * 2) * 1.3).reshape(1, 4, 5, 2).astype("float32"))


def show(x):
    print(np.round(np.asarray(x, "float64").ravel()[::3] + 1e-9, 3).tolist())


for method in ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"):
    # TensorFlow takes the plain bicubic kernel from a table of 1,024 entries: three digits of it are right.
    for antialias in (True,) if method == "bicubic" else (False, True):
        for size in ((2, 3), (6, 3), (7, 9), (4, 7)):
            with tf.GradientTape() as tape:
                result = tf.image.resize(image, size, method, antialias=antialias)
                loss = tf.reduce_sum(result * result)
            print(method, antialias, result.shape)
            show(result)
            if method != "area":  # TensorFlow has no gradient of it
                show(tape.gradient(loss, image))
print(
    tf.image.resize(image[0], (2, 2)).shape, tf.image.resize(image, (8, 8), preserve_aspect_ratio=True).shape
)
