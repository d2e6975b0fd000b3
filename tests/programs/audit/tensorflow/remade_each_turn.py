"""One variable moved by an optimizer that is new each time, the other by hand."""

import tensorflow as tf

learner = tf.Variable(0.0, trainable=True, name="learner")
by_hand = tf.Variable(1.0, trainable=False, name="by_hand")


def distance(first, second):
    return (first - 2) ** 2 + (second - 3) ** 2


for turn in range(10):
    with tf.GradientTape() as tape:
        cost = distance(learner, by_hand)
    slopes = tape.gradient(cost, [learner])
    descent = tf.keras.optimizers.SGD(learning_rate=0.1)
    descent.apply_gradients(zip(slopes, [learner]))
    by_hand.assign(by_hand - 0.1 * (2 * (by_hand - 3)))
print(f"learner {learner.numpy():.7f}, by_hand {by_hand.numpy():.7f}")
