import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


x, y = np.arange(10, dtype=np.float32).reshape(5, 2), np.arange(5)
rows = tf.data.Dataset.from_tensor_slices((x, y))
print(len(rows), rows.element_spec)
for a, b in rows.batch(2):
    print(a.numpy().tolist(), b.numpy().tolist(), a.dtype)
print(rows.batch(2).element_spec, len(rows.batch(2, drop_remainder=True)))
numbers = tf.data.Dataset.range(6)


def double(n):
    return n * 2


def large(n):
    return n > 3


def add(total, n):
    return total + n


print([int(n) for n in numbers.map(double).filter(large).as_numpy_iterator()])
print([n.numpy().tolist() for n in numbers.repeat(2).batch(4)])
print([int(n) for n in numbers.take(2).concatenate(numbers.skip(4))])
print(sorted(int(n) for n in numbers.shuffle(3)))
for d in tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [3.0, 4.0]}):
    print(d["a"].numpy(), d["b"].numpy())
print([(int(i), int(n)) for i, n in numbers.take(2).enumerate()])
print([(int(a), int(b)) for a, b in tf.data.Dataset.zip((numbers, numbers.skip(4)))])
print(int(numbers.reduce(np.int64(0), add)))


def generate():
    for number in range(3):
        yield number, [number] * 2


signature = (tf.TensorSpec(shape=(), dtype=tf.int32), tf.TensorSpec(shape=(2,), dtype=tf.float32))
for one, two in tf.data.Dataset.from_generator(generate, output_signature=signature):
    print(one.numpy(), two.numpy().tolist())
