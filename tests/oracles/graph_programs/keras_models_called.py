import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
layers = tf.keras.layers


class Scale(layers.Layer):
    def __init__(self):
        super().__init__()
        self.offset = tf.Variable([1.0, 2.0], name="offset")

    def build(self, shape):
        self.factor = self.add_weight(shape=shape[-1:], initializer="ones", name="factor")

    def call(self, inputs, training=None):
        if training:
            inputs = inputs + 1.0
        return tf.multiply(inputs, self.factor) + self.offset


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.parts = [layers.Dense(2, kernel_initializer="ones"), Scale()]

    def call(self, inputs):
        for one in self.parts:
            inputs = one(inputs)
        return inputs


x = tf.placeholder(tf.float32, [None, 2])
rows = tf.keras.Sequential([layers.Dense(2, kernel_initializer="ones"), layers.Activation("relu")])
start = layers.Input((2,))
model = tf.keras.Model(start, layers.Dense(1, kernel_initializer="ones")(start))
scale, net = Scale(), Net()
found = [rows(x), model(x), scale(x), scale(x, training=True), net(x), rows(np.ones((1, 2), np.float32))]
loss = tf.add_n([tf.reduce_sum(one) for one in found])
step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
print(len(tf.global_variables()), len(net.trainable_weights), [one.shape for one in found])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        print([one.round(3).tolist() for one in session.run([*found, step], {x: [[1.0, -2.0]]})[:-1]])
