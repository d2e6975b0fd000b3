import numpy as np
import tensorflow as tf

layers = tf.keras.layers
x = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 60.0]], dtype="float32")


def shown(value):
    array = np.asarray(value)
    return np.round(array.astype("float64"), 4).tolist() if array.dtype.kind in "fiu" else array.tolist()


for options in ({}, {"axis": None}, {"axis": 0}):
    layer = layers.Normalization(**options)
    layer.adapt(x)
    print(shown(layer(x)), shown(layer.mean), shown(layer.variance))
print(shown(layers.Normalization(mean=3.0, variance=2.0)(x)), shown(layers.Normalization(mean=3.0, variance=2.0, invert=True)(x)))
layer = layers.Normalization()
layer.adapt(tf.data.Dataset.from_tensor_slices(x).batch(2))
print(shown(layer(x)), len(layer.weights))
model = tf.keras.Sequential([layer, layers.Dense(1, kernel_initializer="ones")])
print(shown(model(x)))
for mode, data in (("multi_hot", [[0, 1], [2, 2]]), ("count", [[0, 1], [2, 2]]), ("one_hot", [3, 0]), ("one_hot", [[3], [0]])):
    print(shown(layers.CategoryEncoding(4, output_mode=mode)(data)))
for mode in ("int", "one_hot"):
    print(shown(layers.Discretization([0.0, 1.0, 2.0], output_mode=mode)(np.array([-1.5, 1.0, 3.4, 0.5]))))
words = [["cat", "dog"], ["dog", "bird"], ["dog", "ant"]]
for options in ({}, {"max_tokens": 3}, {"mask_token": ""}, {"output_mode": "multi_hot"}, {"output_mode": "count", "max_tokens": 4}):
    layer = layers.StringLookup(**options)
    layer.adapt(words)
    print(list(map(str, layer.get_vocabulary())), layer.vocabulary_size(), shown(layer([["dog", "zebra"], ["cat", "dog"]])))
layer = layers.StringLookup(vocabulary=["a", "b", "c"])
print(shown(layer(tf.constant(["c", "x", "a"]))), layers.StringLookup(vocabulary=["a", "b"], num_oov_indices=0)(["b"]).numpy())
back = layers.StringLookup(vocabulary=layer.get_vocabulary(), invert=True)
print(back([1, 3, 0]).numpy().tolist())
layer = layers.IntegerLookup()
layer.adapt([5, 7, 7, 9])
print(list(map(str, layer.get_vocabulary())), shown(layer([7, 9, 1])))
print(shown(layers.IntegerLookup(vocabulary=[4, 2], output_mode="one_hot")([2, 8])))
texts = ["The cat sat.", "A cat, a DOG!", "the end"]
for options in ({}, {"max_tokens": 4}, {"output_sequence_length": 2}, {"output_mode": "count"}, {"output_mode": "multi_hot"},
                {"output_mode": "tf_idf"}, {"ngrams": 2}, {"standardize": None}, {"split": "character", "standardize": "lower"}):
    layer = layers.TextVectorization(**options)
    layer.adapt(texts)
    print(list(map(str, layer.get_vocabulary()[:6])), shown(layer(["the dog sat on the cat", "end"])))
layer = layers.TextVectorization(vocabulary=["dog", "cat"], output_sequence_length=3)
print(shown(layer("a cat dog")), shown(layer([["dog"], ["cat cat"]])))
rows = tf.data.Dataset.from_tensor_slices(texts).batch(2)
layer = layers.TextVectorization(output_sequence_length=4)
layer.adapt(rows)
print([shown(one) for one in rows.map(layer)], list(map(str, layer.get_vocabulary())))
image = np.arange(48, dtype="float32").reshape(1, 4, 4, 3)
print(shown(layers.Resizing(2, 2)(image)), shown(layers.Resizing(2, 3, crop_to_aspect_ratio=True)(image)))
print(shown(layers.CenterCrop(2, 2)(image)), shown(layers.Rescaling(1 / 4, offset=-1)(image[:, :1, :1])))
for layer in (layers.RandomFlip(), layers.RandomRotation(0.2), layers.RandomZoom(0.3), layers.RandomContrast(0.2),
              layers.RandomBrightness(0.2), layers.RandomTranslation(0.2, 0.2)):
    print(layer(image, training=True).shape, bool(np.all(layer(image, training=False) == image)))
print(layers.RandomCrop(2, 2)(image, training=True).shape, shown(layers.RandomCrop(2, 2)(image, training=False)))
for mode in ("multi_hot", "count", "one_hot"):
    rows = tf.keras.layers.CategoryEncoding(num_tokens=3, output_mode=mode)
    print(rows([0, 3]).numpy().tolist())
    try:
        print(rows([-1, 1]).numpy().tolist())
    except tf.errors.InvalidArgumentError:
        print("refused")
layers.StringLookup(vocabulary=["a", "a"])
