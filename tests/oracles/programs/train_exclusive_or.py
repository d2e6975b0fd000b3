import tensorflow as tf

rows = tf.constant([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
labels = tf.constant([0, 1, 1, 0])
hidden = tf.Variable([[1.0, -0.5, 0.75], [-0.75, 1.0, 0.5]])
hidden_offset = tf.Variable([0.0, 0.125, -0.25])
head = tf.Variable([[0.5, -0.5], [-0.75, 0.25], [0.25, 1.0]])
head_offset = tf.Variable([0.0, 0.0])
variables = [hidden, hidden_offset, head, head_offset]
adam = tf.keras.optimizers.Adam(learning_rate=0.125)
for turn in range(30):
    with tf.GradientTape() as tape:
        logits = tf.tanh(rows @ hidden + hidden_offset) @ head + head_offset
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        cost = tf.reduce_mean(losses)
    adam.apply_gradients(zip(tape.gradient(cost, variables), variables))
    if turn % 5 == 4:
        print(f"{turn} {cost.numpy():.4f}")
print(tf.argmax(logits, axis=1).numpy())
