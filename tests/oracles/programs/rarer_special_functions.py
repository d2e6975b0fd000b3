import numpy as np
import tensorflow as tf

special = tf.math.special
x = tf.constant([0.01, 0.5, 1.0, 2.0, 4.0, 20.0], tf.float64)
for name in ("bessel_k0", "bessel_k0e", "bessel_k1", "bessel_k1e"):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = getattr(special, name)(x)
    slope = tape.gradient(y, x)
    print(name, [f"{one:.9e}" for one in y.numpy()], [f"{one:.7e}" for one in slope.numpy()])
    print(getattr(special, name)(tf.constant([[0.3], [3.0]])).shape, getattr(special, name)(2.0).dtype)
pixels = tf.constant(np.arange(48).reshape(4, 4, 3), tf.uint8)
print(tf.image.random_jpeg_quality(pixels, 75, 95).shape, tf.image.stateless_random_jpeg_quality(pixels, 75, 95, (1, 2)).dtype)
for wrong in ((95, 75), (-1, 50), (10, 101)):
    try:
        tf.image.random_jpeg_quality(pixels, *wrong)
    except ValueError as error:
        print(str(error).split("\n")[0])
