import numpy as np
import tensorflow as tf


def show(values):
    print([None if one is None else np.round(one.numpy().astype(float), 4).tolist() for one in values])


@tf.function
def simple():
    a = tf.constant(0.5)
    b = 2 * a
    return tf.gradients(a + b * b, [a, b])


show(simple())
show(simple())


@tf.function
def unconnected(zero):
    a, b = tf.ones([1, 2]), tf.ones([3, 1])
    return tf.gradients([b], [a], unconnected_gradients="zero" if zero else "none")


show(unconnected(False))
show(unconnected(True))
weights = [tf.Variable(np.cos(np.arange(n * m)).reshape(n, m).astype(np.float32)) for n, m in ((2, 4), (4, 1))]


def network(x, t):
    return tf.matmul(tf.tanh(tf.matmul(tf.concat([x, t], 1), weights[0])), weights[1])


def residual(x, t):
    u = network(x, t)
    u_x, u_t = tf.gradients(u, [x, t])
    u_xx = tf.gradients(u_x, x)[0]
    return u_t + u * u_x - 0.1 * u_xx


@tf.function
def step(x, t):
    loss = tf.reduce_mean(residual(x, t) ** 2)
    slopes = tf.gradients(loss, weights)
    for weight, slope in zip(weights, slopes):
        weight.assign_sub(0.05 * slope)
    return loss


points = np.linspace(-1, 1, 6).reshape(6, 1).astype(np.float32)
for _ in range(25):
    loss = step(tf.constant(points), tf.constant(points * 0.5))
print(round(float(loss), 5))
show(weights)


@tf.function
def tape_and_gradients(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gradients(x**3, x, grad_ys=tf.constant(2.0))[0]
    return [tape.gradient(y, x), y]


show(tape_and_gradients(tf.constant(3.0)))
table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])


@tf.function
def rows():
    found = tf.gradients(tf.reduce_sum(tf.gather(table, [1, 1]) ** 2), table)[0]
    return tf.convert_to_tensor(found)


show([rows()])


class Model(tf.Module):
    def __init__(self):
        self.w = tf.Variable(2.0)

    @tf.function
    def slope(self, x):
        return tf.gradients(self.w * x * x, [x, self.w])


model = Model()
show(model.slope(tf.constant(3.0)))
try:
    tf.gradients(table, table)
except RuntimeError:
    print("refused")
