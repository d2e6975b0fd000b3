"""A frozen variable beside one that learns: the list of sources names the one that learns."""

import tensorflow as tf

learner = tf.Variable(0.0, trainable=True, name="learner")
bystander = tf.Variable(1.0, trainable=False, name="bystander")


def distance(first, second):
    return (first - 2) ** 2 + (second - 3) ** 2


descent = tf.keras.optimizers.SGD(learning_rate=0.1)
for turn in range(10):
    with tf.GradientTape() as tape:
        cost = distance(learner, bystander)
    slopes = tape.gradient(cost, [learner])
    descent.apply_gradients(zip(slopes, [learner]))
print(f"learner {learner.numpy():.7f}, bystander {bystander.numpy():.7f}")
