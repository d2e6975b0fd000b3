import numpy as np
import tensorflow as tf


@tf.function
def double(x, training=False):
    print("double: new", training)
    return x * 2


double(tf.constant(1.0))
double(x=tf.constant(2.0))
double(tf.constant(1.0), False)
double(tf.constant(1.0), training=0)
double(tf.constant(1.0), True)
double(tf.constant(1.0), 1)
for number in (1, 1.0, True, 2):
    double(number)
print(double.experimental_get_tracing_count())


class Scale(tf.Module):
    def __init__(self):
        self.factor = None

    @tf.function
    def __call__(self, x):
        print("Scale: new")
        if self.factor is None:
            self.factor = tf.Variable(2.0)
        return self.factor * x


one, other = Scale(), Scale()
for _ in range(2):
    one(tf.constant(1.0))
    other(tf.constant(1.0))
    other(tf.constant([1.0]))
print(one.__call__.experimental_get_tracing_count(), other.__call__.experimental_get_tracing_count())
v, w = tf.Variable(1.0), tf.Variable(2.0)


def told_apart(*values):
    @tf.function
    def same(a):
        print("same: new")
        return a

    for value in values:
        same(value)
    print(same.experimental_get_tracing_count())
    return same


same = told_apart(
    v,
    w,
    tf.constant(1.0),
    np.float32(1),
    v,
    w,
    tf.constant(2.0),
    np.float32(3),
    np.ones(2, np.float32),
    tf.ones(2),
)
told_apart([1.0, v], [1.0, v], [1.0, w], (1.0, w), (1.0, v), [1.0, w])
told_apart({"a": 1}, {"a": 1}, {"a": 2}, {"a": 1}, {"a": 1})
told_apart(None, None, "a", "a", None, "a")


@tf.function(reduce_retracing=True)
def relaxed(x):
    print("relaxed: new")
    return x


for shape in ([3], [5], [7], [9], [2, 2], [2, 3], [4, 4, 4]):
    relaxed(tf.ones(shape))
relaxed(tf.constant([1]))
print(relaxed.experimental_get_tracing_count())


@tf.function(input_signature=[tf.TensorSpec([None])])
def signed(x):
    print("signed: new")
    return x + 1


print(signed(tf.ones(2)).numpy(), signed([1.0, 2.0, 3.0]).numpy(), signed.experimental_get_tracing_count())


@tf.function
def inner(x):
    print("inner: new")
    return x + 1


@tf.function
def outer(x):
    print("outer: new")
    return inner(x) + inner(x)


for value in (1.0, 1.0, 2):
    print(outer(tf.constant(value)).numpy(), inner(tf.constant(value)).numpy())


def told(x):
    print("each time")
    return x


@tf.function
def through_python(x):
    print("through_python: new")
    return tf.py_function(told, [x], tf.float32)


through_python(tf.constant(1.0))
through_python(tf.constant(1.0))
print(tf.config.functions_run_eagerly())
tf.config.run_functions_eagerly(True)
same(v)
print(tf.config.functions_run_eagerly())
tf.config.run_functions_eagerly(False)
same(v)
optimizer, weight = tf.keras.optimizers.Adam(), tf.Variable(1.0)


@tf.function
def step():
    print("step: new")
    with tf.GradientTape() as tape:
        loss = weight * weight
    optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])


step()
step()
print(step.experimental_get_tracing_count())
rows = tf.data.Dataset.range(3).map(lambda x: (print("map: new"), x + 1)[1])
for _ in range(2):
    print([int(one) for one in rows])
power = tf.function(lambda x, n: x**n)
square = power.get_concrete_function(tf.TensorSpec([None], tf.float32), 2)
print(square.structured_input_signature, [one.shape for one in square.inputs])
print(square(tf.constant([3.0])).numpy(), square(x=tf.constant([1.0, 4.0])).numpy())
scale = Scale()
print(scale.__call__.get_concrete_function(tf.constant(1.0))(tf.constant(4.0)).numpy())
