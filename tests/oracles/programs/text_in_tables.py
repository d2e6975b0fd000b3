import numpy as np
import tensorflow as tf


class Column:
    """A column of a table, as pandas has it: no array, but it turns into one of Python's strings."""

    def __init__(self, words):
        self.words = words

    def __len__(self):
        return len(self.words)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.words, object)


words = np.array(["b", "a", "c"], object)
print(tf.constant(words))
print(tf.convert_to_tensor(words))
print(tf.constant(Column(["x", "yy"])))
print(tf.convert_to_tensor(Column(["x", "yy"])))
print(tf.convert_to_tensor(["m", "n"]))
print(tf.convert_to_tensor("one", dtype=tf.string))
table = {"name": Column(["u", "v", "w"]), "size": np.array([1, 2, 3])}
for row in tf.data.Dataset.from_tensor_slices((table, [0, 1, 0])).batch(2):
    print(row[0]["name"], row[0]["size"], row[1])
text, number = tf.constant("text"), tf.constant(1)
print(isinstance(text, tf.Tensor), isinstance(text, type(number)), isinstance("text", tf.Tensor))
print(isinstance(tf.ragged.constant([[1], []]), tf.Tensor))
for refused in (np.array(["a", None], object), np.array([None], object)):
    try:
        tf.convert_to_tensor(refused)
    except ValueError:
        print("refused")
