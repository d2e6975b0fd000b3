import os
import pathlib
import tempfile

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


ds = tf.data.Dataset.from_tensor_slices([["dog","cat"],["dog","bird"],["ant","dog"],["cat","ant"]])
l = L.StringLookup(); l.adapt(ds.batch(2)); print(l.get_vocabulary())
l = L.StringLookup(); l.adapt(ds.batch(3)); print(l.get_vocabulary())
l = L.StringLookup(max_tokens=3); l.adapt(ds.batch(2)); print(l.get_vocabulary())
l = L.StringLookup(max_tokens=5, num_oov_indices=2, mask_token=""); l.adapt(ds.batch(2)); print(l.get_vocabulary())
l = L.IntegerLookup(); l.adapt(tf.data.Dataset.from_tensor_slices([3, 5, 3, 9, 9, 9]).batch(4)); print(l.get_vocabulary())
l = L.StringLookup(output_mode="tf_idf"); l.adapt(ds.batch(2)); print(l.get_vocabulary()); show(l(tf.constant([["dog","dog"],["q","ant"]])))
l = L.IntegerLookup(output_mode="tf_idf"); l.adapt(np.array([[3, 5],[3, 9],[9, 9]])); print(l.get_vocabulary()); show(l(tf.constant([[3, 9],[1, 5]])))
l = L.TextVectorization(); l.adapt(tf.data.Dataset.from_tensor_slices(["b a","c b", "b c d"]).batch(2)); print(l.get_vocabulary()); show(l(tf.constant(["b d","a"])))
l = L.TextVectorization(); l.adapt(tf.data.Dataset.from_tensor_slices(["b a","c b", "b c d"])); print(l.get_vocabulary())
l = L.TextVectorization(output_mode="tf_idf", ngrams=2); l.adapt(["b a b","c b", "b c d"]); print(l.get_vocabulary()); show(l(tf.constant(["b d b a","a"])))
l = L.TextVectorization(); l.adapt(tf.data.Dataset.from_tensor_slices(["b a","c b", "b c d"]).batch(1), steps=2); print(l.get_vocabulary())
l = L.StringLookup(); l.adapt(["x"]); l.adapt(["y","y","z"]); print(l.get_vocabulary())


l = L.StringLookup(); l.adapt(tf.ragged.constant([["a"],["b","a"]])); print(l.get_vocabulary())
l = L.StringLookup(); l.adapt(tf.data.Dataset.from_tensor_slices(["a","b","b"])); print(l.get_vocabulary())
l = L.StringLookup(output_mode="tf_idf"); l.adapt(tf.data.Dataset.from_tensor_slices(["a","b","b"])); print(l.get_vocabulary(), ); show(l(tf.constant([["a","b"]])))


l = L.StringLookup(); l.update_state(tf.constant(["a","b","b"])); l.update_state(tf.constant(["c","b"])); l.finalize_state(); print(l.get_vocabulary()); l.reset_state(); print(l.get_vocabulary())


f = os.path.join(tempfile.mkdtemp(), "v.txt"); pathlib.Path(f).write_text("x\ny\n z\n")
l = L.StringLookup(vocabulary=f); print(l.get_vocabulary()); show(l(tf.constant(["x","z"," z","q"])))
l = L.TextVectorization(vocabulary=f); print(l.get_vocabulary()); show(l(tf.constant(["x y q"])))
g = os.path.join(tempfile.mkdtemp(), "n.txt"); pathlib.Path(g).write_text("5\n7\n")
l = L.IntegerLookup(vocabulary=g); print(l.get_vocabulary()); show(l(tf.constant([5, 7, 1])))
l = L.StringLookup(); l.set_vocabulary(f); print(l.get_vocabulary())
try: L.StringLookup(vocabulary=f + "no"); print("made")
except ValueError as e: print("ValueError")


l = L.StringLookup(output_mode="multi_hot", num_oov_indices=2); x = tf.constant([["a","b"],["b","c"]]); l.adapt(x)
i = keras.Input((len([["a","b"],["b","c"]][0]),), dtype=x.dtype.name); m = keras.Model(i, l(i))
f = os.path.join(tempfile.mkdtemp(), "m.keras"); m.save(f); n = keras.models.load_model(f)
print(n.layers[-1].get_vocabulary()); show(n(x)); show(m(x))


l = L.IntegerLookup(); x = tf.constant([[1, 2],[2, 3]]); l.adapt(x)
i = keras.Input((len([[1, 2],[2, 3]][0]),), dtype=x.dtype.name); m = keras.Model(i, l(i))
f = os.path.join(tempfile.mkdtemp(), "m.keras"); m.save(f); n = keras.models.load_model(f)
print(n.layers[-1].get_vocabulary()); show(n(x)); show(m(x))


l = L.TextVectorization(output_sequence_length=3); x = tf.constant([["a b"],["b c"]]); l.adapt(x)
i = keras.Input((len([["a b"],["b c"]][0]),), dtype=x.dtype.name); m = keras.Model(i, l(i))
f = os.path.join(tempfile.mkdtemp(), "m.keras"); m.save(f); n = keras.models.load_model(f)
print(n.layers[-1].get_vocabulary()); show(n(x)); show(m(x))


l = L.TextVectorization(output_mode="tf_idf"); x = tf.constant([["a b"],["b c"]]); l.adapt(x)
i = keras.Input((len([["a b"],["b c"]][0]),), dtype=x.dtype.name); m = keras.Model(i, l(i))
f = os.path.join(tempfile.mkdtemp(), "m.keras"); m.save(f); n = keras.models.load_model(f)
print(n.layers[-1].get_vocabulary()); show(n(x)); show(m(x))


l = L.StringLookup(output_mode="tf_idf"); x = tf.constant([["a","b"],["b","c"]]); l.adapt(x)
i = keras.Input((len([["a","b"],["b","c"]][0]),), dtype=x.dtype.name); m = keras.Model(i, l(i))
f = os.path.join(tempfile.mkdtemp(), "m.keras"); m.save(f); n = keras.models.load_model(f)
print(n.layers[-1].get_vocabulary()); show(n(x)); show(m(x))
