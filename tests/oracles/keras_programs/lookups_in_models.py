import numpy as np
import tensorflow as tf

keras, L = tf.keras, tf.keras.layers


def show(value):
    if type(value).__name__ == "RaggedTensor":
        print("ragged", value.dtype.name, value.to_list())
    elif type(value).__name__ == "SparseTensor":
        print("sparse", value.values.dtype.name, value.indices.numpy().tolist(), value.values.numpy().tolist())
    elif type(value).__name__ == "KerasTensor":
        print("keras", tuple(value.shape), value.dtype)
    elif isinstance(value, dict):
        for key in sorted(value):
            print(key, end=" ")
            show(value[key])
    else:
        print(value.dtype.name, np.asarray(value.numpy()).tolist())


for mode, more in (("int", {}), ("one_hot", {}), ("multi_hot", {}), ("count", {}), ("tf_idf", {"idf_weights": [0.5, 0.25]})):
    for shape in ((), (1,), (3,), (None,), (2, 3)):
        for kind, dtype, words in ((L.StringLookup, "string", ["a", "b"]), (L.IntegerLookup, "int64", [7, 8])):
            given = keras.Input(shape, dtype=dtype)
            layer = kind(vocabulary=words, output_mode=mode, **more)
            made = layer(given)
            show(made)
            model = keras.Model(given, made)
            for count in (1, 2):
                show(model(tf.constant(np.full((count, *(2 if n is None else n for n in shape)), words[0]))))
            show(layer(tf.constant(words[0])))
            show(layer(tf.constant([words[0]])))
for mode in ("one_hot", "multi_hot", "count"):
    for shape in ((), (1,), (3,)):
        given = keras.Input(shape, dtype="int64")
        made = L.CategoryEncoding(4, output_mode=mode)(given)
        show(made)
        for count in (1, 2):
            show(keras.Model(given, made)(tf.constant(np.ones((count, *shape), "int64"))))
