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


x = tf.constant([["The cat, sat."],["a DOG-house!"]])
for o in ({"ragged": True}, {"split": "character"}, {"split": "character", "ragged": True}, {"ngrams": 2}, {"ngrams": (2, 3)}, {"ngrams": 2, "output_mode": "count"}, {"ngrams": (2,), "ragged": True}, {"split": None}, {"standardize": "lower"}, {"standardize": "strip_punctuation"}, {"standardize": None}, {"output_sequence_length": 2}, {"output_mode": "multi_hot"}, {"output_mode": "count", "sparse": True}, {"max_tokens": 4}):
    l = L.TextVectorization(**o); l.adapt(x); print(o, l.get_vocabulary()); show(l(x)); show(l(tf.constant(["the the dog", "sat"])))


for o in ({}, {"ragged": True}, {"output_sequence_length": 4}, {"output_mode": "count"}, {"output_mode": "multi_hot"}, {"split": "character"}):
    l = L.TextVectorization(vocabulary=["a","b","c"], **o)
    for shape in ((), (1,)):
        i = keras.Input(shape, dtype="string"); o2 = l(i); print(shape); show(o2)
        if not o.get("ragged"):
            m = keras.Model(i, o2); show(m(tf.constant(np.full((1,) + shape, "a c"))));  show(m(tf.constant(np.full((2,) + shape, "b a q"))))


l = L.TextVectorization(vocabulary=["a","b","a b"], split=None); show(l(tf.constant(["a b","b"]))); show(l(tf.constant([["a b"],["b"]]))); show(l(tf.constant([["a","b"],["b","q"]])))
l = L.TextVectorization(vocabulary=["a","b"], split=None, standardize=None); show(l(tf.ragged.constant([["a","b"],["b"]])))
l = L.TextVectorization(vocabulary=["a","b"], split=None, standardize=None, ragged=True); show(l(tf.ragged.constant([["a","b"],["b"]])))
l = L.TextVectorization(vocabulary=["a","b"]); show(l("a b")); show(l(tf.constant("a b"))); show(l(["a b", "b"])); show(l([["a b"], ["b"]])); show(l(np.array(["a b", "b"])))


l = L.TextVectorization(standardize=lambda x: tf.strings.regex_replace(tf.strings.lower(x), "<br />", " "), split=lambda x: tf.strings.split(x, ","), output_sequence_length=4)
l.adapt(["A<br />B,c", "c,D"]); print(l.get_vocabulary()); show(l(tf.constant(["c,a b", "z"])))
l = L.TextVectorization(vocabulary=["a", "ä", "é"], encoding="utf-8", split="character"); show(l(tf.constant(["äÉa"])))
l = L.TextVectorization(vocabulary=["naïve"]); show(l(tf.constant(["NAÏVE it's"])))
l = L.TextVectorization(); l.adapt(["it's  a\ttab\nnew", "a"]); print(l.get_vocabulary())


ds = tf.data.Dataset.from_tensor_slices((["a b","b"], [0, 1])).batch(2)
l = L.TextVectorization(vocabulary=["a","b"], output_sequence_length=3)
for x, y in ds.map(lambda x, y: (l(x), y)): show(x); show(y)
l = L.StringLookup(vocabulary=["a","b"], output_mode="one_hot")
for x in tf.data.Dataset.from_tensor_slices(["a","b"]).map(l): show(x)
for x in tf.data.Dataset.from_tensor_slices(["a","b"]).batch(2).map(l): show(x)
for x in tf.data.Dataset.from_tensor_slices([["a"],["b"]]).map(l): show(x)
