import tensorflow as tf

weight = tf.Variable([4.0, -2.0, 0.5])
curvature = tf.constant([1.0, 0.5, 2.0])
adam = tf.keras.optimizers.Adam(learning_rate=0.5)
for turn in range(10):
    with tf.GradientTape() as tape:
        cost = tf.reduce_sum(curvature * weight * weight)
    adam.apply_gradients(zip(tape.gradient(cost, [weight]), [weight]))
    print(" ".join(f"{number:.5f}" for number in weight.numpy()))
