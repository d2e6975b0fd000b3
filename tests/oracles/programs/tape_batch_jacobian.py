import tensorflow as tf

rows = tf.constant([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape() as tape:
    tape.watch(rows)
    values = rows * rows
print(tape.batch_jacobian(values, rows).numpy().tolist())
