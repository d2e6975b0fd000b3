"""A schedule that gives numbers of Python gives them where a function is traced; one of tensors, at each call."""

import tensorflow as tf


class Halving(tf.keras.optimizers.schedules.LearningRateSchedule):
    """Halves its own rate each time it is asked."""

    def __init__(self):
        self.rate = 1.0

    def __call__(self, step):
        self.rate = self.rate / 2
        return self.rate


class Falling(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __call__(self, step):
        return 1.0 / (1.0 + tf.cast(step, tf.float32))


def moved(optimizer, in_function):
    weight, other = tf.Variable([1.0]), tf.Variable([2.0])

    def step(size):
        optimizer.apply_gradients([(tf.ones([1]), weight), (size * tf.ones([1]), other)])
        return weight - other

    step = tf.function(step) if in_function else step
    values = []
    for size in (1.0, 1.0, 2.0, 2.0, 2.0):
        step(tf.constant(size))
        values.append("%.5f" % weight.numpy()[0])
    return values


for in_function in (False, True):
    print(moved(tf.keras.optimizers.SGD(Halving()), in_function))
    print(moved(tf.keras.optimizers.Adam(Halving()), in_function))
    print(moved(tf.keras.optimizers.SGD(Halving(), momentum=0.5), in_function))
    print(moved(tf.keras.optimizers.SGD(Falling()), in_function))

shared = Halving()
one, two = tf.keras.optimizers.Adam(shared), tf.keras.optimizers.SGD(shared)
first, second = tf.Variable(1.0), tf.Variable(1.0)


@tf.function
def both(x):
    one.apply_gradients([(x, first)])
    two.apply_gradients([(x, second)])


for turn in range(3):
    both(tf.constant(1.0))
    print("%.5f %.5f" % (first.numpy(), second.numpy()))
x = tf.ones([4, 1])
model = tf.keras.Sequential([tf.keras.Input([1]), tf.keras.layers.Dense(1, kernel_initializer="ones")])
model.compile(tf.keras.optimizers.SGD(Halving()), "mae")
for turn in range(3):
    model.fit(x, 0.0 * x, batch_size=2, verbose=0)
    print("%.5f" % model.trainable_variables[0].numpy()[0, 0])
