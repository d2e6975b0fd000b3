import numpy as np
import tensorflow as tf

words = tf.constant(["a", "bb", "c"])
numbers = tf.constant([1, 2, 3])


def joined(a, x):
    return tf.strings.join([a, x])


print(tf.scan(joined, words))
print(tf.scan(joined, words, reverse=True))
print(tf.scan(joined, words, initializer="z"))
print(tf.scan(lambda a, x: a + tf.strings.length(x), words, initializer=0))
print(tf.scan(lambda a, x: (joined(a[0], x[0]), a[1] + x[1]), (words, numbers), initializer=("", 0)))
print(tf.foldl(joined, words), tf.foldr(joined, words), tf.foldr(joined, words, initializer="z"))
print(tf.foldl(lambda a, x: a + tf.strings.length(x), words, initializer=0))

# Folds take several tensors in a structure.
print(tf.foldl(lambda a, x: a + x[0] * x[1], (numbers, tf.constant([4, 5, 6])), initializer=0))
pairs = {"a": numbers, "b": np.array([4, 5, 6], np.int32)}
print(tf.foldr(lambda a, x: a - x["a"] * x["b"], pairs, initializer=100))
print(tf.foldl(lambda a, x: (a[0] + x[0], a[1] * x[1]), (numbers, numbers)))
print(tf.foldl(lambda a, x: (a[0] + x, a[1] * x), numbers, initializer=(0, 1)))


def longer(s, i):
    return tf.strings.join([s, "x"]), i + 1


print(tf.while_loop(lambda s, i: i < 3, longer, [tf.constant("s"), tf.constant(0)]))
print(tf.while_loop(lambda s, i: i < 2, longer, ["s", 0]))
print(tf.while_loop(lambda s, i: i < 0, longer, ["s", 0]))
print(tf.while_loop(lambda s: tf.strings.length(s) < 5, lambda s: [s + "x"], [tf.constant("s")]))

array = tf.TensorArray(tf.string, 3)
for i in range(2):
    array = array.write(i, tf.as_string(i))
print(array.dtype, array.stack(), array.gather([1, 0]), array.size())
print(tf.TensorArray(tf.string, 3).unstack(words).read(1), array.read(1))
print(tf.TensorArray(tf.string, 2).split(words, [1, 2]).concat())
print(tf.TensorArray(tf.string, 3).scatter([2, 0, 1], words).stack())


@tf.function
def spelled(s):
    out = tf.constant("")
    for one in s:
        out = tf.strings.join([out, one, "."])
    return out, tf.scan(joined, s), tf.foldl(lambda a, x: a + x, s)


print(spelled(words))
rows = tf.data.Dataset.from_tensors(["a", "b"]).map(lambda s: tf.foldl(lambda a, x: a + x, s))
print(list(rows.as_numpy_iterator()))
try:
    tf.TensorArray(tf.float32, 1).write(0, tf.constant("a"))
except tf.errors.InvalidArgumentError as error:
    print("refused", "string" in str(error))
