import tensorflow as tf

weight = tf.Variable([4.0, -2.0, 0.5])
adam = tf.keras.optimizers.Adam(learning_rate=0.25, beta_1=0.5, beta_2=0.75, epsilon=0.125)
for turn in range(10):
    with tf.GradientTape() as tape:
        cost = tf.reduce_sum(weight * weight)
    adam.apply_gradients(zip(tape.gradient(cost, [weight]), [weight]))
    print(" ".join(f"{number:.5f}" for number in weight.numpy()))
