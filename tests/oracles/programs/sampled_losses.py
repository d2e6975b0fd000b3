import numpy as np
import tensorflow as tf

draws = np.random.RandomState(0)
weights, biases = tf.Variable(draws.randn(40, 3).astype("f")), tf.Variable(tf.zeros([40]))
x, labels = tf.Variable(draws.randn(6, 3).astype("f")), tf.constant([[0], [1], [5], [9], [20], [39]], tf.int64)
sampled = (tf.constant([3, 7, 9], tf.int64), tf.constant([[0.1], [0.2], [0.3], [0.1], [0.2], [0.3]]),
           tf.constant([0.4, 0.5, 0.6]))
with tf.GradientTape(persistent=True) as tape:
    contrast = tf.nn.nce_loss(weights, biases, labels, x, 3, 40, sampled_values=sampled)
    entropy = tf.nn.sampled_softmax_loss(
        weights=weights, biases=biases, labels=labels, inputs=x, num_sampled=3, num_classes=40, sampled_values=sampled
    )
print(contrast.numpy().round(4).tolist(), entropy.numpy().round(4).tolist())
for loss in (contrast, entropy):
    slopes = tape.gradient(loss, [weights, x])
    print(tf.convert_to_tensor(slopes[0]).numpy().sum(1).round(3)[::9].tolist(), slopes[1].numpy().round(4).tolist())
# Distinct classes are drawn: the mean is known well enough.
mean = np.mean([tf.nn.nce_loss(weights, biases, labels, x, 15, 40).numpy() for _ in range(150)], 0)
print(bool((abs(mean - [18.4, 24.5, 26.4, 18.8, 18.9, 24.6]) < 1.5).all()))
