import tensorflow as tf

table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
adam = tf.keras.optimizers.Adam(learning_rate=0.1)
for ids in ([1, 1], [0], [2]):
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(tf.gather(table, ids))
    slope = tape.gradient(total, table)
    adam.apply_gradients([(slope, table)])
    print([[round(float(number), 5) for number in row] for row in table.numpy()])
