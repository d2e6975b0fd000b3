# PS415: *
import tensorflow as tf

tf.random.set_seed(1)
layers = tf.keras.layers


def network():
    return tf.keras.Sequential([layers.Dense(4), layers.BatchNormalization(), layers.Dense(1)])


fast, slow = network(), network()
features, wanted = tf.random.normal([16, 3]), tf.random.normal([16, 1])
fast(features), slow(features)
slow.set_weights(fast.get_weights())
sgd = tf.keras.optimizers.SGD(0.05)
for _ in range(5):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((fast(features, training=True) - wanted) ** 2)
    variables = fast.trainable_variables
    sgd.apply_gradients(zip(tape.gradient(loss, variables), variables))
    for mine, other in zip(slow.trainable_variables, fast.trainable_variables):  # wrong, guilty
    for mine, other in zip(slow.variables, fast.variables):  # right
        mine.assign(0.9 * mine + 0.1 * other)
print(tf.reduce_mean((slow(features, training=False) - wanted) ** 2).numpy())
