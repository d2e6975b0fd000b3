# PS413: *
import tensorflow as tf

tf.random.set_seed(1)
layers = tf.keras.layers
net = tf.keras.Sequential([layers.Dense(4), layers.BatchNormalization(), layers.Dense(1)])
features, wanted = tf.random.normal([16, 3]), tf.random.normal([16, 1])
others, answers = tf.random.normal([8, 3]) + 5.0, tf.random.normal([8, 1])
net(features)
sgd = tf.keras.optimizers.SGD(0.05)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(features, training=True) - wanted) ** 2)
    variables = net.trainable_variables
    sgd.apply_gradients(zip(tape.gradient(loss, variables), variables))
    guess = net(others, training=True)  # wrong, guilty
    guess = net(others, training=False)  # right
    print(tf.reduce_mean((guess - answers) ** 2).numpy())
