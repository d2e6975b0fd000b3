import tensorflow as tf

offset = tf.Variable(tf.zeros([1]), trainable=False)
kernel = tf.Variable(tf.fill([10, 1], 0.5), trainable=True)
features = tf.constant(
    [[0.25 * (column % 4) for column in range(10)], [0.5 * (column % 3) for column in range(10)]]
)
wanted = tf.constant([[1.0], [2.0]])


def affine(rows):
    return tf.matmul(rows, kernel) + offset


descent = tf.keras.optimizers.SGD(learning_rate=0.0625)
for turn in range(4):
    with tf.GradientTape() as tape:
        cost = tf.reduce_mean(tf.square(affine(features) - wanted))
    variables = [variable for variable in (kernel, offset) if variable.trainable]
    slopes = tape.gradient(cost, variables)
    descent.apply_gradients(zip(slopes, variables))
    print(
        f"turn {turn}: cost {cost.numpy():.5f} second {kernel.numpy()[1, 0]:.5f} last {kernel.numpy()[9, 0]:.5f}"
    )
print(offset.numpy())
