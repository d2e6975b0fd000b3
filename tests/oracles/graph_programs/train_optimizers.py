import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
made = {
    "descent": tf.train.GradientDescentOptimizer(0.1),
    "momentum": tf.train.MomentumOptimizer(0.1, 0.9),
    "nesterov": tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adam": tf.train.AdamOptimizer(0.1),
    "adagrad": tf.train.AdagradOptimizer(0.1),
    "rmsprop": tf.train.RMSPropOptimizer(0.1),
    "rmsprop_momentum": tf.train.RMSPropOptimizer(0.1, momentum=0.5),
}
for name, optimizer in made.items():
    w = tf.get_variable(name, initializer=[1.0, -2.0])
    train = optimizer.minimize(tf.reduce_sum(w * w * [1.0, 3.0]), var_list=[w])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(train)
            print(name, session.run(w).round(4).tolist())
