import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

IDS = [1, 1, 1, 3], [0, 1, 1, 1], [3, 3, 0, 0]
WEIGHTS = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.25], [2.0, 1.0]])


def train(make, change=None):
    with tf.Graph().as_default(), tf.Session() as session:
        optimizer = make()
        table = tf.Variable(np.arange(8, dtype=np.float32).reshape(4, 2) + 1)
        ids, weights = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32, [None, 2])
        loss = tf.reduce_sum(tf.nn.embedding_lookup(table, ids) * weights)
        pairs = optimizer.compute_gradients(loss)
        if change is not None:
            pairs = [(change(gradient), variable) for gradient, variable in pairs]
        update = optimizer.apply_gradients(pairs)
        session.run(tf.global_variables_initializer())
        for step, one in enumerate(IDS):
            session.run(update, {ids: one, weights: WEIGHTS * (step + 1)})
        print(type(optimizer).__name__, np.round(session.run(table).ravel().astype(float), 3).tolist())


for make in (
    lambda: tf.train.GradientDescentOptimizer(0.1),
    lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    lambda: tf.train.AdamOptimizer(0.1),
    lambda: tf.train.AdagradOptimizer(0.1),
    lambda: tf.train.RMSPropOptimizer(0.1),
    lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5),
    lambda: tf.train.RMSPropOptimizer(0.1, centered=True),
    lambda: tf.train.AdadeltaOptimizer(0.1),
    lambda: tf.train.FtrlOptimizer(0.1),
    lambda: tf.train.ProximalAdagradOptimizer(0.1),
    lambda: tf.train.ProximalGradientDescentOptimizer(0.1),
):
    train(make)
    train(make, lambda gradient: tf.clip_by_norm(gradient, 1.0))

descent = lambda: tf.train.GradientDescentOptimizer(0.1)  # noqa: E731
train(descent, lambda gradient: tf.clip_by_global_norm([gradient], 1.0)[0][0])
train(descent, lambda gradient: tf.clip_by_value(gradient, -1.0, 1.0))
train(descent, lambda gradient: tf.convert_to_tensor(gradient) * 0.5)
