import numpy as np
import tensorflow as tf

kinds = tf.keras.layers


def show(layer, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layer(x)
        loss = tf.reduce_sum(y * tf.reshape(tf.cos(tf.range(tf.size(y), dtype=tf.float32)), tf.shape(y)))
    g = tape.gradient(loss, x)
    print(layer.name, tuple(y.shape), np.round(np.asarray(y).ravel()[::5], 3).tolist())
    print(np.round(np.asarray(g).ravel(), 3).tolist())


def numbers(*shape):
    return tf.reshape(tf.sin(tf.range(float(np.prod(shape)))), shape)


steps, images, volumes = numbers(1, 4, 2), numbers(1, 2, 3, 2), numbers(1, 2, 3, 2, 1)
for layer in (kinds.UpSampling1D(), kinds.ZeroPadding1D(), kinds.ZeroPadding1D((0, 2)), kinds.Cropping1D(), kinds.Cropping1D((0, 2)), kinds.Cropping1D(1)):
    show(layer, steps)
for layer in (
    kinds.UpSampling2D(), kinds.UpSampling2D((1, 3)), kinds.UpSampling2D(2, interpolation="bilinear"),
    kinds.UpSampling2D(2, interpolation="bicubic"), kinds.ZeroPadding2D(), kinds.ZeroPadding2D((0, 2)),
    kinds.ZeroPadding2D(((1, 0), (0, 2))), kinds.Cropping2D(), kinds.Cropping2D((0, 1)), kinds.Cropping2D(((1, 0), (0, 2))),
):
    show(layer, images)
for layer in (
    kinds.UpSampling3D(), kinds.UpSampling3D((1, 2, 1)), kinds.ZeroPadding3D(), kinds.ZeroPadding3D((1, 0, 2)),
    kinds.ZeroPadding3D(((1, 0), (0, 2), (0, 0))), kinds.Cropping3D(((1, 0), (0, 2), (0, 1))), kinds.Cropping3D((0, 1, 0)),
):
    show(layer, volumes)
model = tf.keras.Sequential([tf.keras.Input((8, 8, 3)), kinds.ZeroPadding2D(1), kinds.Conv2D(4, 3, strides=2), kinds.UpSampling2D(2), kinds.Cropping2D(1)])
print(model.output_shape)
