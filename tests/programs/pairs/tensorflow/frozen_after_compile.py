# PS404: *
import tensorflow as tf

tf.random.set_seed(1)
body = tf.keras.layers.Dense(4, activation="tanh")
net = tf.keras.Sequential([tf.keras.Input([3]), body, tf.keras.layers.Dense(1)])
features, wanted = tf.random.normal([16, 3]).numpy(), tf.random.normal([16, 1]).numpy()
net.compile(optimizer="sgd", loss="mse")  # wrong
net.fit(features, wanted, epochs=1, verbose=0)  # wrong
body.trainable = False  # guilty
net.compile(optimizer="sgd", loss="mse")  # right
net.fit(features, wanted, epochs=3, verbose=0)
