import tensorflow as tf

scalar = tf.Variable(2.0)
row = tf.Variable([1.0, 2.0, 3.0])
column = tf.Variable([[10.0], [20.0]])
with tf.GradientTape() as tape:
    grid = row * column + scalar
    total = tf.reduce_sum(grid * [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print(grid.numpy().tolist())
for slope in tape.gradient(total, [scalar, row, column]):
    print(slope.shape, slope.numpy().tolist())
