import gzip
import json
import os
import pickle
import tempfile

import numpy as np

home = tempfile.mkdtemp()
os.environ["KERAS_HOME"] = home
folder = os.path.join(home, "datasets")
os.makedirs(os.path.join(folder, "fashion-mnist"))
for name in ("cifar-10-batches-py-target/cifar-10-batches-py", "cifar-100-python-target/cifar-100-python"):
    os.makedirs(os.path.join(folder, name))

import tensorflow as tf

try:
    # Files made here are not the published ones.
    import keras.src.utils.file_utils as files
    files.validate_file = lambda *arguments, **options: True
    files.config.keras_home = lambda: home
    files.extract_archive = lambda *arguments, **options: True
except ImportError:
    pass

for name in ("cifar-10-batches-py-target", "cifar-100-python-target"):
    open(os.path.join(folder, f"{name}_archive"), "w").close()


def numbers(*shape):
    return (np.arange(np.prod(shape)) % 251).astype(np.uint8).reshape(shape)


def show(*pairs):
    for x, y in pairs:
        print(x.shape, x.dtype, y.shape, y.dtype, int(np.sum(x[1], dtype=np.int64)), y[:3].tolist())


np.savez(
    os.path.join(folder, "mnist.npz"),
    x_train=numbers(6, 28, 28), y_train=numbers(6), x_test=numbers(3, 28, 28), y_test=numbers(3),
)
show(*tf.keras.datasets.mnist.load_data())
for name, count in (("train", 5), ("t10k", 2)):
    with gzip.open(os.path.join(folder, "fashion-mnist", f"{name}-images-idx3-ubyte.gz"), "wb") as file:
        file.write(b"\0\0\x08\x03" + np.array([count, 28, 28], ">i4").tobytes() + numbers(count, 28, 28).tobytes())
    with gzip.open(os.path.join(folder, "fashion-mnist", f"{name}-labels-idx1-ubyte.gz"), "wb") as file:
        file.write(b"\0\0\x08\x01" + np.array([count], ">i4").tobytes() + numbers(count).tobytes())
show(*tf.keras.datasets.fashion_mnist.load_data())
place = os.path.join(folder, "cifar-100-python-target", "cifar-100-python")
for name, count in (("train", 4), ("test", 2)):
    with open(os.path.join(place, name), "wb") as file:
        kept = {b"data": numbers(count, 3072), b"fine_labels": list(range(count)), b"coarse_labels": [1] * count}
        pickle.dump(kept, file, protocol=2)
(x, y), test = tf.keras.datasets.cifar100.load_data()
print(x.shape, int(x[1, 2, 3, 1]), np.asarray(y).ravel().tolist(), test[0].shape)
_, (x, y) = tf.keras.datasets.cifar100.load_data(label_mode="coarse")
print(np.asarray(y).ravel().tolist())
rows = np.arange(700 * 3).reshape(700, 3) / 7.0
for name in ("boston_housing", "california_housing"):
    np.savez(os.path.join(folder, f"{name}.npz"), x=rows, y=np.arange(700.0))
show(*tf.keras.datasets.boston_housing.load_data())
show(*tf.keras.datasets.california_housing.load_data(version="small", test_split=0.1, seed=3))
words = np.empty(6, object)
words[:] = [[1, 2, 3], [4, 5], [6, 7, 8, 9], [10], [11, 2, 3, 4, 5], [1, 1]]
np.savez(
    os.path.join(folder, "imdb.npz"), x_train=words, y_train=numbers(6), x_test=words[::-1], y_test=numbers(6)
)
np.savez(os.path.join(folder, "reuters.npz"), x=words, y=numbers(6))
with open(os.path.join(folder, "imdb_word_index.json"), "w") as file:
    json.dump({"the": 1, "film": 2}, file)
for options in ({}, {"num_words": 8}, {"maxlen": 4}, {"oov_char": None, "skip_top": 4, "start_char": None},
                {"start_char": None, "index_from": 0, "seed": 5}):
    for load in (tf.keras.datasets.imdb.load_data, tf.keras.datasets.reuters.load_data):
        (x, y), (x_test, y_test) = load(**options)
        print([list(map(int, one)) for one in x], y.tolist())
        print([list(map(int, one)) for one in x_test], y_test.tolist())
print(tf.keras.datasets.imdb.get_word_index())
print(len(tf.keras.datasets.reuters.get_label_names()), tf.keras.datasets.reuters.get_label_names()[3])
tf.keras.datasets.cifar100.load_data("all")
