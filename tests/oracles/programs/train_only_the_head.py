import tensorflow as tf

base = tf.Variable([[1.0, 0.5], [0.25, -1.0]], name="base")
head = tf.Variable([[1.0], [1.0]], name="head")
rows = tf.constant([[1.0, 2.0], [3.0, -1.0]])
descent = tf.keras.optimizers.SGD(learning_rate=0.015625)
for turn in range(3):
    with tf.GradientTape() as tape:
        features = tf.stop_gradient(tf.nn.relu(rows @ base))
        cost = tf.reduce_sum((features @ head) ** 2)
    slopes = tape.gradient(cost, [base, head])
    print(slopes[0], slopes[1].numpy().tolist())
    descent.apply_gradients([(slopes[1], head)])
print(base.numpy().tolist())
