import tensorflow as tf

kernel = tf.Variable([[0.5], [-0.5]], name="kernel")
offset = tf.Variable([0.0], name="offset")
rows = tf.constant([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [2.0, 1.0]])
wanted = tf.constant([[2.0], [1.0], [3.0], [4.0]])
descent = tf.keras.optimizers.SGD(learning_rate=0.125)
for turn in range(5):
    with tf.GradientTape() as tape:
        cost = tf.reduce_mean((rows @ kernel + offset - wanted) ** 2)
    slopes = tape.gradient(cost, [kernel, offset])
    descent.apply_gradients(zip(slopes, [kernel, offset]))
    print(
        f"{cost.numpy():.5f}",
        [f"{number:.5f}" for number in kernel.numpy().ravel()],
        f"{offset.numpy()[0]:.5f}",
    )
