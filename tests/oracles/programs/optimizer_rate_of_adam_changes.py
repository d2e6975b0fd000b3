import tensorflow as tf

weight = tf.Variable([2.0, -1.0])
adam = tf.keras.optimizers.Adam(learning_rate=0.1)
for turn in range(6):
    with tf.GradientTape() as tape:
        cost = tf.reduce_sum(weight * weight)
    adam.apply_gradients([(tape.gradient(cost, weight), weight)])
    adam.learning_rate = adam.learning_rate * 0.5
    print(" ".join(f"{number:.5f}" for number in weight.numpy()))
