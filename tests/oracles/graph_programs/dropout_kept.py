import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.ones([1000])
keep = tf.placeholder(tf.float32, [])
y = tf.nn.dropout(x, rate=1.0 - keep)
with tf.Session() as session:
    print(session.run(tf.reduce_sum(y), {keep: 1.0}), sorted(set(session.run(y, {keep: 0.5}).tolist())))
