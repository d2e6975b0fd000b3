import tensorflow as tf

left = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
right = tf.Variable([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]])
with tf.GradientTape() as tape:
    product = left @ right
    transposed = tf.matmul(left, right, transpose_a=True, transpose_b=True)
    total = tf.reduce_sum(product * [[1.0, 2.0], [3.0, 4.0]]) + tf.reduce_sum(transposed)
print(product.numpy().tolist(), transposed.numpy().tolist())
for slope in tape.gradient(total, [left, right]):
    print(slope.numpy().tolist())
