import tensorflow as tf

with tf.GradientTape() as tape:
    tape.watch(2.0)
