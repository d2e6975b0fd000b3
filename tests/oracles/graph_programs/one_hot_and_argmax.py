import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
ids = tf.placeholder(tf.int32, [None])
hot = tf.one_hot(ids, 3)
print(hot.shape, tf.argmax(hot, 1).dtype)
with tf.Session() as session:
    print(session.run(hot, {ids: [0, 2]}).tolist(), session.run(tf.argmax(hot, 1), {ids: [2, 1]}))
