import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
w = tf.Variable([3.0, 4.0])
optimizer = tf.train.GradientDescentOptimizer(1.0)
pairs = optimizer.compute_gradients(tf.reduce_sum(w * w) / 2.0)
clipped, norm = tf.clip_by_global_norm([gradient for gradient, _ in pairs], 1.0)
train = optimizer.apply_gradients(zip(clipped, [variable for _, variable in pairs]))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run([norm, train]), session.run(w).round(4))
