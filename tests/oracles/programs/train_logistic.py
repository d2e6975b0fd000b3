import tensorflow as tf

rows = tf.constant([[0.0], [1.0], [2.0], [3.0]])
labels = tf.constant([[0.0], [0.0], [1.0], [1.0]])
kernel = tf.Variable(tf.zeros([1, 1]))
offset = tf.Variable(tf.zeros([1]))
descent = tf.keras.optimizers.SGD(learning_rate=1.0, momentum=0.5)
for turn in range(10):
    with tf.GradientTape() as tape:
        logits = tf.matmul(rows, kernel) + offset
        cost = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
    descent.apply_gradients(zip(tape.gradient(cost, [kernel, offset]), [kernel, offset]))
    print(f"{cost.numpy():.4f} {kernel.numpy()[0, 0]:.4f} {offset.numpy()[0]:.4f}")
