import warnings

import tensorflow as tf

warnings.simplefilter("ignore")
tf.random.set_seed(5)


def draw():
    return tf.random.uniform([], 0, 100, tf.int32)


@tf.function
def over_tensor(n):
    found = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    before = draw()
    for i in tf.range(n):
        found = found.write(2 * i, draw())
        found = found.write(2 * i + 1, draw())
    return before, found.stack(), draw()


@tf.function
def left_early(n):
    total = tf.constant(0)
    for i in tf.range(n):
        total += draw()
        if i > 1:
            break
    return total, draw(), draw()


@tf.function
def nested(n):
    found = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    for i in tf.range(n):
        for j in tf.range(2):
            found = found.write(3 * i + j, draw())
        found = found.write(3 * i + 2, draw())
    return found.stack()


@tf.function
def of_python(n):
    return [draw() for _ in range(n)]


@tf.function
def helper():
    return draw()


@tf.function
def calls_in_a_loop(n):
    found = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    for i in tf.range(n):
        found = found.write(i, helper())
    return found.stack()


@tf.function
def over_data(data):
    total = tf.constant(0)
    for x in data:
        total = 101 * total + draw() + x
    return total, draw()


for function in over_tensor, left_early, nested, of_python, calls_in_a_loop:
    for _ in range(2):
        print(function.python_function.__name__, tf.nest.map_structure(lambda x: x.numpy().tolist(), function(3)))
print(over_data(tf.data.Dataset.from_tensor_slices([0, 0, 0])))
for _ in range(2):
    print(over_tensor(tf.constant(2))[1].numpy().tolist())
print([int(draw()) for _ in range(2)])
