import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


def shown(name, function):
    with tf.Graph().as_default(), tf.Session() as session:
        result = function()
        session.run(tf.global_variables_initializer())
        print(name, session.run(result), getattr(result, "shape", None))


def vector():
    return tf.placeholder_with_default(np.array([0.0, 3.0], np.float32), [None])


def matrix():
    return tf.placeholder_with_default(np.arange(6, dtype=np.float32).reshape(2, 3), [None, 3])


def cubed():
    x = vector()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * x
    return tape.gradient(y, x)


def outside():
    x = vector()
    z = x * 3.0
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * z
        total = tf.reduce_sum(y * y)
    print("before it opened", tape.gradient(z, x))
    return [tape.gradient(y, x), tape.gradient(total, x)]


def nested():
    x = vector()
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        slope = inner.gradient(y, x)
    return outer.gradient(slope, x)


def of_variables():
    v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
    fixed = tf.get_variable("fixed", [2], initializer=tf.ones_initializer(), trainable=False)
    with tf.GradientTape() as tape:
        y = v * v * 3.0 + fixed
    slopes = tape.gradient(y, {"v": v, "fixed": fixed})
    print("fixed", slopes["fixed"])
    return slopes["v"]


def captured():
    x = vector()
    factor = tf.constant(7.0) * x[1]

    @tf.custom_gradient
    def scaled(a):
        made = tf.exp(a) * factor
        return made, lambda upstream: upstream * made * 10.0

    y = scaled(x)
    return [y, tf.gradients(y, x)[0]]


def checked():
    x = vector()
    with tf.control_dependencies([tf.assert_greater(x, -1.0), tf.Assert(x[1] > 2.0, [x])]):
        return tf.identity(x)


def refused():
    x = vector()
    with tf.control_dependencies([tf.assert_greater(x, 5.0)]):
        return tf.identity(x)


def picture():
    return tf.placeholder_with_default(np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1), [None, 4, 4, 1])


shown("tape", cubed)
shown("tape, constants", outside)
shown("tape in tape", nested)
shown("tape, variables", of_variables)
x = tf.placeholder(tf.float32, [2])
with tf.GradientTape() as tape:
    y = x * x
print("unwatched", tape.gradient(y, x))
try:
    tape.gradient(y, x)
except RuntimeError as error:
    print("used up:", str(error)[:70])
shown("custom gradient", captured)
shown("numpy_function", lambda: tf.numpy_function(lambda x: x + 1, [vector()], tf.float32))
shown("py_function", lambda: tf.py_function(lambda x: x + 1, [vector()], tf.float32))
shown("ensure_shape", lambda: tf.ensure_shape(vector(), [2]))
shown("flip", lambda: tf.image.flip_left_right(picture()))
shown("contrast", lambda: tf.image.adjust_contrast(picture(), 2.0))
shown("checks", checked)
try:
    shown("refused", refused)
except tf.errors.InvalidArgumentError as error:
    print("refused:", "Condition x > y did not hold" in str(error))
