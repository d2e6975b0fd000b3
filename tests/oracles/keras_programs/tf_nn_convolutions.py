import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


x = tf.reshape(tf.sin(tf.range(50, dtype=tf.float32)), (1, 5, 5, 2))
kernel = tf.reshape(tf.cos(tf.range(36, dtype=tf.float32)), (3, 3, 2, 2))
show(tf.nn.conv2d(x, kernel, strides=[1, 2, 2, 1], padding="SAME"))
show(tf.nn.conv2d(x, kernel, 1, "VALID")[0, 0])
show(tf.nn.conv2d(x, kernel, strides=1, padding=[[0, 0], [1, 1], [0, 2], [0, 0]])[0, 0])
show(tf.nn.max_pool2d(x, 2, 2, "VALID"))
show(tf.nn.max_pool(x, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME")[0, 4])
show(tf.nn.avg_pool2d(x, ksize=3, strides=2, padding="SAME"))
show(tf.nn.conv1d(x[0], kernel[0], stride=2, padding="VALID"))
show(tf.nn.depthwise_conv2d(x, kernel, strides=[1, 1, 1, 1], padding="VALID")[0, 0])
show(tf.nn.conv2d_transpose(x[:, :2, :2], kernel, output_shape=[1, 4, 4, 2], strides=2, padding="SAME")[0, 1])
