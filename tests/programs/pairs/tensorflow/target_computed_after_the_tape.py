# PS107: place
import tensorflow as tf

tf.random.set_seed(1)


def height(place):
    return tf.reduce_sum(place**3)


def slope(place):
    with tf.GradientTape() as tape:
        tape.watch(place)
        top = height(place)  # right
    top = height(place)  # wrong
    return tape.gradient(top, place)  # guilty


print(slope(tf.constant([1.0, 2.0])))
