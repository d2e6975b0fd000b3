import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
labels = tf.placeholder(tf.int32, [None])
depth = 4
rows = tf.one_hot(labels, depth)
print(rows.shape)
flat = tf.reshape(rows, [-1, 2, 2])
print(flat.shape)
anything = tf.placeholder(tf.int32)
spread = tf.reshape(tf.one_hot(anything, depth), [-1, depth])
print(spread.shape)
wide = tf.placeholder(tf.float32, [3, None])
column = tf.reshape(tf.expand_dims(wide, 1), [3, 2, 1])
print(column.shape, tf.matmul(column, tf.expand_dims(wide, 1)).shape)
with tf.Session() as session:
    print(session.run(flat, {labels: [1, 3]}).tolist())
    print(session.run(spread, {anything: [[2], [0]]}).tolist())
    product = tf.matmul(column, tf.expand_dims(wide, 1))
    print(session.run(product, {wide: [[1, 2], [3, 4], [5, 6]]}).tolist())
