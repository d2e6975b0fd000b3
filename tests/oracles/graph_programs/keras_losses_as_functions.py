import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
losses = tf.keras.losses
x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 3])
row = tf.placeholder(tf.int32, [None])
w = tf.get_variable("w", initializer=np.full((3, 3), 0.25, np.float32))
made = tf.matmul(x, w)
found = [
    losses.mse(y, made),
    losses.mae(y, made),
    losses.huber(y, made, delta=0.5),
    losses.cosine_similarity(y, made),
    losses.categorical_crossentropy(y, made, from_logits=True),
    losses.categorical_crossentropy(y, tf.nn.softmax(made)),
    losses.sparse_categorical_crossentropy(row, made, from_logits=True),
    losses.binary_crossentropy(y, tf.sigmoid(made)),
    losses.kld(y, tf.nn.softmax(made)),
    losses.get("poisson")(y, tf.nn.softplus(made)),
]
print([(one.shape.as_list(), one.dtype.name) for one in found])
step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.add_n([tf.reduce_mean(one) for one in found]))
feed = {x: [[1.0, 2.0, -1.0], [0.5, 0.0, 1.0]], y: [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], row: [1, 0]}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        print([np.round(one, 4).tolist() for one in session.run([*found, step], feed)[:-1]])
