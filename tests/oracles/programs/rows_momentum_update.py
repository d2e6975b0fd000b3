import tensorflow as tf

table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
descent = tf.keras.optimizers.SGD(learning_rate=0.25, momentum=0.5)
for ids in ([1, 1], [0], [2]):
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(tf.gather(table, ids))
    slope = tape.gradient(total, table)
    descent.apply_gradients([(slope, table)])
    print(table.numpy().tolist())
