import numpy as np
import tensorflow as tf

train = tf.compat.v1.train
w, b = tf.Variable([[1.0], [2.0]]), tf.Variable([0.5])
x = tf.constant([[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]])
y = tf.constant([[1.0], [0.0], [2.0]])


def loss():
    return tf.reduce_mean((x @ w + b - y) ** 2)


for make in (
    lambda: train.GradientDescentOptimizer(0.1),
    lambda: train.MomentumOptimizer(0.1, 0.9),
    lambda: train.AdamOptimizer(0.1),
    lambda: train.AdagradOptimizer(0.1),
    lambda: train.RMSPropOptimizer(0.1, centered=True),
    lambda: train.FtrlOptimizer(0.1),
    lambda: train.AdamOptimizer(lambda: tf.constant(0.05)),
):
    w.assign([[1.0], [2.0]])
    b.assign([0.5])
    optimizer = make()
    step = tf.Variable(0, dtype=tf.int64)
    for _ in range(3):
        with tf.GradientTape() as tape:
            value = loss()
        gradients = tape.gradient(value, [w, b])
        optimizer.apply_gradients(zip(gradients, [w, b]), global_step=step)
    optimizer.minimize(loss, global_step=step)
    optimizer.minimize(loss, var_list=[b])
    shown = np.round(np.concatenate([w.numpy().ravel(), b.numpy()]).astype(float), 4).tolist()
    print(optimizer.get_name(), optimizer.get_slot_names(), int(step), shown)

count = train.get_or_create_global_step()
optimizer = train.MomentumOptimizer(0.1, 0.9)
print(sorted(v.shape[0] for _, v in optimizer.compute_gradients(loss, [w, b])))
optimizer.apply_gradients([(tf.constant([[1.0], [2.0]]), w), (None, b)], global_step=count)
print(int(count), optimizer.get_slot(w, "momentum").numpy().ravel().tolist(), optimizer.get_slot(b, "momentum"))
print(int(train.get_global_step()))
try:
    optimizer.apply_gradients([(None, w)])
except ValueError as error:
    print("refused", str(error)[:20])
try:
    optimizer.minimize(loss())
except RuntimeError as error:
    print("refused", str(error)[:30])
