import os
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


FeatureSpace = keras.utils.FeatureSpace
data = {"age": [20., 30., 40., 50.], "sex": [0, 1, 1, 0], "thal": ["a","b","a","c"], "cp": [1, 2, 2, 3], "t": ["x y","y","z x","x"]}
def ds(): return tf.data.Dataset.from_tensor_slices(data)

fs = FeatureSpace(features={"sex": FeatureSpace.integer_categorical(num_oov_indices=0), "cp": "integer_categorical", "thal": FeatureSpace.string_categorical(num_oov_indices=1), "age": FeatureSpace.float_discretized(num_bins=3)}, crosses=[FeatureSpace.cross(feature_names=("sex","thal"), crossing_dim=8)], output_mode="concat")
fs.adapt(ds())
out = fs({k: v[0] for k, v in data.items() if k != "t"}); show(out)
out = fs({k: tf.constant(v)[:, None] for k, v in data.items() if k != "t"}); show(out)
print(fs.get_inputs().keys(), tuple(fs.get_encoded_features().shape))


fs = FeatureSpace(features={"sex": "integer_categorical", "thal": "string_categorical", "age": "float_normalized"}, output_mode="dict")
fs.adapt(ds())
show(fs({"sex": 1, "thal": "b", "age": 30.})); show(fs({k: tf.constant(data[k]) for k in ("sex","thal","age")}))
print({k: (tuple(v.shape), v.dtype) for k, v in fs.get_encoded_features().items()})


fs = FeatureSpace(features={"age": "float_rescaled", "sex": FeatureSpace.integer_hashed(num_bins=4), "thal": FeatureSpace.string_hashed(num_bins=5), "cp": FeatureSpace.integer_categorical(output_mode="int"), "x2": "float"}, output_mode="dict")
d = {**{k: data[k] for k in ("age","sex","thal","cp")}, "x2": [1., 2., 3., 4.]}
fs.adapt(tf.data.Dataset.from_tensor_slices(d).batch(2))
show(fs({k: v[:2] for k, v in d.items()}))
print(fs.features["age"].dtype, fs.preprocessors["age"].__class__.__name__)


fs = FeatureSpace(features={"sex": FeatureSpace.integer_categorical(num_oov_indices=0), "thal": "string_categorical", "age": FeatureSpace.float_normalized()}, crosses=[("sex","thal")], crossing_dim=6, output_mode="concat")
fs.adapt(ds())
e = fs.get_encoded_features(); show(e)
m = keras.Model(e, L.Dense(1, kernel_initializer="ones")(e))
y = [0., 1., 1., 0.]
t = tf.data.Dataset.from_tensor_slices(({k: data[k] for k in ("sex","thal","age")}, y)).batch(2)
p = t.map(lambda x, y: (fs(x), y)); print([tuple(a.shape) for a, b in p])


fs = FeatureSpace(features={"sex": "integer_categorical", "thal": "string_categorical", "age": "float_normalized"}, output_mode="concat")
fs.adapt(ds()); f = os.path.join(tempfile.mkdtemp(), "fs.keras"); fs.save(f); n = keras.models.load_model(f); show(n({"sex": 1, "thal": "b", "age": 30.}))


for act in (lambda: FeatureSpace(features={}), lambda: FeatureSpace(features={"a": "nope"}), lambda: FeatureSpace(features={"a": "float"}, crosses=[("a","b")]), lambda: FeatureSpace(features={"a": "float"}, output_mode="x"), lambda: FeatureSpace(features={"a": "float_normalized"})({"a": 1.}), lambda: FeatureSpace(features={"a": "float_normalized"}).adapt({"a": [1.]})):
    try: act(); print("made")
    except Exception as e: print(isinstance(e, ValueError))
