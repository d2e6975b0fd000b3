import tensorflow as tf


class Net(tf.Module):
    def __init__(self):
        super().__init__(name="net")
        self.w = tf.Variable([[0.1], [0.2]], name="w")
        self.b = tf.Variable([0.0], name="b")
        self.steps = tf.Variable(0, trainable=False, name="steps")

    def __call__(self, x):
        return x @ self.w + self.b


net, x = Net(), tf.random.normal((8, 2))
optimizer = tf.keras.optimizers.SGD(0.1)
for _ in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(x) - 1.0) ** 2)
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))
    net.steps.assign_add(1)
