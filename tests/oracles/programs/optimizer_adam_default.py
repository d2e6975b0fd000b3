import tensorflow as tf

weight = tf.Variable([1.0, -1.0])
adam = tf.keras.optimizers.Adam()
for turn in range(10):
    adam.apply_gradients([(tf.constant([0.001, -1000.0]), weight)])
    print(" ".join(f"{number:.6f}" for number in weight.numpy()))
