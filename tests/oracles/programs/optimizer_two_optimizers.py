import tensorflow as tf

left = tf.Variable(4.0)
right = tf.Variable(4.0)
slow = tf.keras.optimizers.SGD(learning_rate=0.125)
fast = tf.keras.optimizers.SGD(learning_rate=0.25)
for turn in range(4):
    with tf.GradientTape() as tape:
        cost = left * left + right * right
    by_left, by_right = tape.gradient(cost, [left, right])
    slow.apply_gradients([(by_left, left)])
    fast.apply_gradients([(by_right, right)])
    print(left.numpy(), right.numpy())
