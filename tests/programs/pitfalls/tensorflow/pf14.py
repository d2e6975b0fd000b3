# PS401 net/scale/kernel net/scale/bias
import tensorflow as tf

SCALE = tf.keras.layers.Dense(4, name="scale")


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__(name="net")
        self.scale = SCALE  # right
        self.head = tf.keras.layers.Dense(1, name="head")

    def call(self, x):
        return self.head(SCALE(x))


net, x = Net(), tf.random.normal((8, 3))
net(x)
optimizer = tf.keras.optimizers.SGD(0.01)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(x) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
