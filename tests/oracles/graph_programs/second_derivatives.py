import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [3])
weight = tf.get_variable("weight", initializer=[[1.0, 2.0], [0.5, -1.0]])
loss = tf.reduce_sum(x[:, None] ** 3 * x[None, :]) + tf.reduce_sum(tf.matmul(weight, weight) ** 2)
made = tf.hessians(loss, [x, weight])
table = tf.get_variable("table", initializer=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
changes = [
    tf.scatter_mul(table, [0, 2], [[2.0, 3.0], [0.5, 0.25]]),
    tf.scatter_div(table, [1, 1], [[2.0, 4.0], [2.0, 1.0]]),
    tf.scatter_mul(table, 1, 2.0),
]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for one in session.run(made, {x: [1.0, 2.0, -1.0]}):
        print(one.shape, np.round(one, 3).tolist())
    for one in changes:
        print(session.run(one).tolist())
    data = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    print(session.run(tf.sparse_segment_sum(data, [0, 1, 1], [0, 0, 1])).tolist())
    print(session.run(tf.sparse.segment_mean(data, tf.constant([0, 1]), tf.constant([0, 0]))).tolist())
    sound, rate = tf.audio.decode_wav(tf.audio.encode_wav(data / 8.0, 16000))
    print([one.tolist() for one in session.run([sound, rate])])
with tf.name_scope("first"):
    print(tf.get_default_graph().get_name_scope(), tf.is_symbolic_tensor(x))
