import tensorflow as tf

if tf.constant([1.0, 2.0]) > 0.5:
    print("reached")
