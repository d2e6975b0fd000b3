import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
rows = tf.nn.embedding_lookup(table, [1, 1])
train = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(rows))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(train)
    print(session.run(table).tolist())
