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


l = L.StringLookup(vocabulary=["a","b","c"], num_oov_indices=0, output_mode='int')
print(l.get_vocabulary(), l.vocabulary_size(), l.get_vocabulary(include_special_tokens=False))
show(l(tf.constant([["a","b"],["c","a"]])))



l = L.IntegerLookup(vocabulary=[12, 36, 1138], num_oov_indices=0, output_mode='int')
print(l.get_vocabulary(), l.vocabulary_size())
show(l(tf.constant([[12, 1138],[36, 12]])))



l = L.StringLookup(vocabulary=["a","b","c"], num_oov_indices=0, output_mode='multi_hot')
print(l.get_vocabulary(), l.vocabulary_size(), l.get_vocabulary(include_special_tokens=False))
show(l(tf.constant([["a","b"],["c","a"]])))



l = L.IntegerLookup(vocabulary=[12, 36, 1138], num_oov_indices=0, output_mode='multi_hot')
print(l.get_vocabulary(), l.vocabulary_size())
show(l(tf.constant([[12, 1138],[36, 12]])))



l = L.StringLookup(vocabulary=["a","b","c"], num_oov_indices=1, output_mode='int')
print(l.get_vocabulary(), l.vocabulary_size(), l.get_vocabulary(include_special_tokens=False))
show(l(tf.constant([["a","b"],["c","a"]])))
show(l(tf.constant([["a","zebra"],["q","cow"],["",  "zebra"]])))


l = L.IntegerLookup(vocabulary=[12, 36, 1138], num_oov_indices=1, output_mode='int')
print(l.get_vocabulary(), l.vocabulary_size())
show(l(tf.constant([[12, 1138],[36, 12]])))
show(l(tf.constant([[12, 5],[-7, 1000], [3, 36]])))


l = L.StringLookup(vocabulary=["a","b","c"], num_oov_indices=1, output_mode='multi_hot')
print(l.get_vocabulary(), l.vocabulary_size(), l.get_vocabulary(include_special_tokens=False))
show(l(tf.constant([["a","b"],["c","a"]])))
show(l(tf.constant([["a","zebra"],["q","cow"],["",  "zebra"]])))


l = L.IntegerLookup(vocabulary=[12, 36, 1138], num_oov_indices=1, output_mode='multi_hot')
print(l.get_vocabulary(), l.vocabulary_size())
show(l(tf.constant([[12, 1138],[36, 12]])))
show(l(tf.constant([[12, 5],[-7, 1000], [3, 36]])))


l = L.StringLookup(vocabulary=["a","b","c"], num_oov_indices=2, output_mode='int')
print(l.get_vocabulary(), l.vocabulary_size(), l.get_vocabulary(include_special_tokens=False))
show(l(tf.constant([["a","b"],["c","a"]])))
show(l(tf.constant([["a","zebra"],["q","cow"],["",  "zebra"]])))


l = L.IntegerLookup(vocabulary=[12, 36, 1138], num_oov_indices=2, output_mode='int')
print(l.get_vocabulary(), l.vocabulary_size())
show(l(tf.constant([[12, 1138],[36, 12]])))
show(l(tf.constant([[12, 5],[-7, 1000], [3, 36]])))


l = L.StringLookup(vocabulary=["a","b","c"], num_oov_indices=2, output_mode='multi_hot')
print(l.get_vocabulary(), l.vocabulary_size(), l.get_vocabulary(include_special_tokens=False))
show(l(tf.constant([["a","b"],["c","a"]])))
show(l(tf.constant([["a","zebra"],["q","cow"],["",  "zebra"]])))


l = L.IntegerLookup(vocabulary=[12, 36, 1138], num_oov_indices=2, output_mode='multi_hot')
print(l.get_vocabulary(), l.vocabulary_size())
show(l(tf.constant([[12, 1138],[36, 12]])))
show(l(tf.constant([[12, 5],[-7, 1000], [3, 36]])))


l = L.StringLookup(vocabulary=["a","b","c"], num_oov_indices=5, output_mode='int')
print(l.get_vocabulary(), l.vocabulary_size(), l.get_vocabulary(include_special_tokens=False))
show(l(tf.constant([["a","b"],["c","a"]])))
show(l(tf.constant([["a","zebra"],["q","cow"],["",  "zebra"]])))


l = L.IntegerLookup(vocabulary=[12, 36, 1138], num_oov_indices=5, output_mode='int')
print(l.get_vocabulary(), l.vocabulary_size())
show(l(tf.constant([[12, 1138],[36, 12]])))
show(l(tf.constant([[12, 5],[-7, 1000], [3, 36]])))


l = L.StringLookup(vocabulary=["a","b","c"], num_oov_indices=5, output_mode='multi_hot')
print(l.get_vocabulary(), l.vocabulary_size(), l.get_vocabulary(include_special_tokens=False))
show(l(tf.constant([["a","b"],["c","a"]])))
show(l(tf.constant([["a","zebra"],["q","cow"],["",  "zebra"]])))


l = L.IntegerLookup(vocabulary=[12, 36, 1138], num_oov_indices=5, output_mode='multi_hot')
print(l.get_vocabulary(), l.vocabulary_size())
show(l(tf.constant([[12, 1138],[36, 12]])))
show(l(tf.constant([[12, 5],[-7, 1000], [3, 36]])))


l = L.StringLookup(vocabulary=["a","b"], mask_token="", oov_token="<oov>", num_oov_indices=2)
print(l.get_vocabulary(), l.vocabulary_size()); show(l(tf.constant([["a",""],["q","b"]])))
l = L.StringLookup(vocabulary=["", "<oov>", "a","b"], mask_token="", oov_token="<oov>")
print(l.get_vocabulary()); show(l(tf.constant([["a",""],["q","b"]])))
l = L.IntegerLookup(vocabulary=[5, 6], mask_token=0, oov_token=-2); print(l.get_vocabulary()); show(l(tf.constant([0, 5, 6, 9])))
l = L.IntegerLookup(vocabulary=[5, 6], mask_token=0, output_mode="multi_hot"); print(l.get_vocabulary()); show(l(tf.constant([[0, 5], [6, 9]])))
l = L.StringLookup(vocabulary=["a","b"], mask_token="m", output_mode="count"); print(l.get_vocabulary()); show(l(tf.constant([["a","m"],["q","b"]])))

l = L.StringLookup(vocabulary=["a","b"], invert=True); print(l.get_vocabulary()); show(l(tf.constant([[0, 1],[2, 9]])))
l = L.StringLookup(vocabulary=["a","b"], invert=True, mask_token="", oov_token="U"); print(l.get_vocabulary()); show(l(tf.constant([0, 1, 2, 3, 4, -1])))
l = L.StringLookup(vocabulary=["a","b"], invert=True, num_oov_indices=0); print(l.get_vocabulary()); show(l(tf.constant([0, 1])))
l = L.IntegerLookup(vocabulary=[12, 36], invert=True); show(l(tf.constant([0, 1, 2]))); print(l.get_vocabulary())

for mode in ("multi_hot","count","one_hot"):
    l = L.StringLookup(max_tokens=6, vocabulary=["a","b"], output_mode=mode, pad_to_max_tokens=True); show(l(tf.constant([["a"],["b"]]))); print(l.vocabulary_size(), l.compute_output_shape((None, 1)))
l = L.StringLookup(max_tokens=5, vocabulary=["a","b"], idf_weights=[1., 2.], output_mode="tf_idf", pad_to_max_tokens=True); show(l(tf.constant([["a"],["b"]])))
l = L.IntegerLookup(max_tokens=5, vocabulary=[1,2], output_mode="one_hot", pad_to_max_tokens=True); show(l(tf.constant([1, 9])))
l = L.TextVectorization(max_tokens=5, vocabulary=["a","b"], output_mode="count", pad_to_max_tokens=True); show(l(tf.constant(["a b c", "b"])))
i = keras.Input((1,), dtype="string"); show(l(i))


l = L.StringLookup(output_mode="tf_idf"); l.set_vocabulary(["a","b"], idf_weights=[.5,.25]); show(l(tf.constant([["a","z"],["b","b"]])))
l = L.TextVectorization(output_mode="tf_idf"); l.set_vocabulary(["a","b"], idf_weights=[.5,.25]); show(l(tf.constant(["a z", "b b"]))); print(l.get_vocabulary())
l.set_vocabulary(["[UNK]", "a","b"], idf_weights=[.1, .5,.25]); show(l(tf.constant(["a z", "b b"]))); print(l.get_vocabulary())


for act in (lambda: L.StringLookup(output_mode="tf_idf").set_vocabulary(["a"]), lambda: L.StringLookup().set_vocabulary(["a"], idf_weights=[1.]),
            lambda: L.StringLookup(vocabulary=["a","a"]), lambda: L.StringLookup(max_tokens=2, vocabulary=["a","b","c"]), lambda: L.StringLookup(max_tokens=1),
            lambda: L.StringLookup(num_oov_indices=-1), lambda: L.StringLookup(output_mode="bad"), lambda: L.StringLookup(sparse=True), lambda: L.StringLookup(pad_to_max_tokens=True),
            lambda: L.StringLookup(vocabulary=[]), lambda: L.StringLookup(output_mode="tf_idf", vocabulary=["a","b"], idf_weights=[1.]),
            lambda: L.TextVectorization(standardize="no"), lambda: L.TextVectorization(split="no"), lambda: L.TextVectorization(ngrams="x"), lambda: L.TextVectorization(output_sequence_length=-1),
            lambda: L.TextVectorization(output_mode="count", ragged=True), lambda: L.TextVectorization(output_mode="count", output_sequence_length=3), lambda: L.TextVectorization(ragged=True, output_sequence_length=3), lambda: L.TextVectorization(max_tokens=0),
            lambda: L.CategoryEncoding(0), lambda: L.CategoryEncoding(4, "x"), lambda: L.Hashing(0), lambda: L.Hashing(3, output_mode="x"), lambda: L.StringLookup(vocabulary=["", "[UNK]"], mask_token=None)):
    try: act(); print("made")
    except Exception as e: print(type(e).__name__ if type(e).__module__ == "builtins" else [k.__name__ for k in type(e).__mro__ if k.__module__ == "builtins"][0])
