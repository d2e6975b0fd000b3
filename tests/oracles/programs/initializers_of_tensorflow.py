import numpy as np
import tensorflow as tf


def show(value):
    print(np.round(np.asarray(value, float), 5).tolist())


tf.random.set_seed(3)
for initializer in (
    tf.random_normal_initializer(),
    tf.random_normal_initializer(1.0, 2.0),
    tf.random_uniform_initializer(-1, 1),
    tf.random_normal_initializer(seed=3),
    tf.random_uniform_initializer(seed=4),
):
    show(initializer([2]))
    show(initializer([2, 2]))
    show(initializer([2], dtype="float64"))
    print(initializer.get_config())
tf.random.set_seed(3)
layer = tf.keras.layers.Dense(2, kernel_initializer=tf.random_normal_initializer(0.0, 0.02))
show(layer(tf.ones([1, 3])))
show(layer.kernel)
draw = tf.function(lambda: tf.random_normal_initializer()([2]))
show(draw())
show(draw())
