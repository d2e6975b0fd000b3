# PS417: online target
import tensorflow as tf

tf.random.set_seed(1)
online = [tf.Variable(tf.random.normal([3, 2]), name="online")]
target = online  # wrong, guilty
target = [tf.Variable(one, name="target") for one in online]  # right
sgd = tf.keras.optimizers.SGD(0.1)
states, later = tf.random.normal([8, 3]), tf.random.normal([8, 3])
for turn in range(6):
    goal = 1.0 + 0.9 * tf.reduce_max(tf.matmul(later, target[0]), 1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.matmul(states, online[0])[:, 0] - goal) ** 2)
    sgd.apply_gradients(zip(tape.gradient(loss, online), online))
    if turn % 3 == 2:
        target[0].assign(online[0])
