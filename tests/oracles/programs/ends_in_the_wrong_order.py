import tensorflow as tf

x = tf.Variable([-2.0, -0.5, 0.3, 1.0, 2.0])
low, high = tf.Variable(-0.5), tf.Variable(1.1)
for ends in ((-0.5, 1.0), (1.2, -0.5), (low, high), (high, low), (low, 1.0), (0.4, low), ([0.1, 1.0, 2.2, -1.0, -2.0], 0.5)):
    with tf.GradientTape() as tape:
        y = tf.clip_by_value(x, *ends)
        total = tf.reduce_sum(y * [1.0, 2.0, 3.0, 4.0, 5.0])
    print(y.numpy().round(4).tolist())
    print([None if one is None else one.numpy().round(4).tolist() for one in tape.gradient(total, [x, low, high])])
print(tf.clip_by_value(tf.constant([1, 5]), 3, 2).numpy())
