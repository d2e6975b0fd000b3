import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
kinds = [
    lambda: tf.train.AdadeltaOptimizer(0.5, rho=0.9, epsilon=1e-3),
    lambda: tf.train.FtrlOptimizer(0.5),
    lambda: tf.train.FtrlOptimizer(0.5, initial_accumulator_value=0.2, l1_regularization_strength=0.1, l2_regularization_strength=0.2),
    lambda: tf.train.FtrlOptimizer(0.5, l2_shrinkage_regularization_strength=0.1, learning_rate_power=-0.7),
    lambda: tf.train.ProximalGradientDescentOptimizer(0.1, l1_regularization_strength=0.5, l2_regularization_strength=0.2),
    lambda: tf.train.ProximalGradientDescentOptimizer(0.1),
    lambda: tf.train.ProximalAdagradOptimizer(0.5, l1_regularization_strength=0.1, l2_regularization_strength=0.2),
    lambda: tf.train.ProximalAdagradOptimizer(0.5, initial_accumulator_value=0.3),
]
for make in kinds:
    tf.reset_default_graph()
    x = tf.Variable([1.0, -2.0, 0.05], name="x")
    loss = tf.reduce_sum((x - 0.5) ** 2 * [1.0, 2.0, 0.1])
    optimizer = make()
    train = optimizer.minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(6):
            sess.run(train)
        print(optimizer.get_name(), np.round(sess.run(x), 4).tolist(), optimizer.get_slot_names())
