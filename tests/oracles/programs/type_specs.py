import numpy as np
import tensorflow as tf

def tell(name, make):
    try:
        print(name, "->", make())
    except Exception as error:
        print(name, "refused")

T, R, S = tf.TensorSpec, tf.RaggedTensorSpec, tf.SparseTensorSpec
pairs = {
    "same": (T([None, 2]), T([None, 2])),
    "name": (T([2]), T([2], name="x")),
    "dtype": (T([2]), T([2], tf.int32)),
    "longer": (T([None]), T([3])),
    "shorter": (T([3]), T([None])),
    "lengths": (T([2]), T([3])),
    "rank": (T([2]), T([2, 2])),
    "unknown": (T(None), T([2])),
    "to unknown": (T([2]), T(None)),
    "ragged": (R([None, None]), R([2, None])),
    "ragged dtype": (R([None, None]), R([2, None], tf.int32)),
    "ragged rank": (R([None, None, 2]), R([2, None, None])),
    "sparse": (S([None, 2]), S([3, 2])),
    "kinds": (T([None, None]), R([2, None])),
    "sparse dense": (S([2, 2]), T([2, 2])),
    "array": (tf.TensorArraySpec([None], tf.float32), tf.TensorArraySpec([2], tf.float32)),
    "array dynamic": (tf.TensorArraySpec([2], tf.float32), tf.TensorArraySpec([2], tf.float32, dynamic_size=True)),
    "slices": (tf.IndexedSlicesSpec([None, 2]), tf.IndexedSlicesSpec([3, 2])),
    "optional": (tf.OptionalSpec(T([None])), tf.OptionalSpec(T([2]))),
    "data set": (tf.data.DatasetSpec(T([None])), tf.data.DatasetSpec(T([2]))),
    "data set shape": (tf.data.DatasetSpec(T([None]), [None]), tf.data.DatasetSpec(T([None]), [])),
    "iterator": (tf.data.IteratorSpec(T([None])), tf.data.IteratorSpec(T([2]))),
    "nothing": (tf.NoneTensorSpec(), tf.NoneTensorSpec()),
}
for word, (one, other) in pairs.items():
    tell(f"{word}: one", lambda: one)
    tell(f"{word}: ==", lambda: (one == other, one != other, one == one))
    tell(f"{word}: compatible", lambda: (one.is_compatible_with(other), other.is_compatible_with(one)))
    tell(f"{word}: subtype", lambda: (one.is_subtype_of(other), other.is_subtype_of(one)))
    tell(f"{word}: common", lambda: one.most_specific_common_supertype([other]))
    tell(f"{word}: compatible type", lambda: one.most_specific_compatible_type(other))
values = {
    "float": 3.0, "int": 3, "list": [1.0, 2.0], "array": np.zeros(2, np.float32), "doubles": np.zeros(2),
    "tensor": tf.zeros([2]), "ints": tf.zeros([2], tf.int32), "variable": tf.Variable([1.0, 2.0]),
    "ragged": tf.ragged.constant([[1.0], [2.0, 3.0]]), "sparse": tf.sparse.from_dense([[1.0, 0.0]]),
    "text": "a", "none": None, "object": object(),
    "slices": tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), dense_shape=tf.constant([3, 2])),
    "array of tensors": tf.TensorArray(tf.float32, 2, element_shape=[2]),
    "data": tf.data.Dataset.range(3), "iterator": iter(tf.data.Dataset.range(3)),
    "optional": tf.experimental.Optional.from_value(1.0),
}
specs = {
    "scalar": T([]), "vector": T([2]), "any": T(None), "int": T([2], tf.int32), "text": T([], tf.string),
    "ragged": R([None, None]), "sparse": S([None, None]), "slices": tf.IndexedSlicesSpec([None, 2]),
    "array": tf.TensorArraySpec([None], tf.float32), "data": tf.data.DatasetSpec(T([], tf.int64)),
    "nothing": tf.NoneTensorSpec(),
}
for word, spec in specs.items():
    for kind, value in values.items():
        if kind != "object":
            tell(f"{word} of {kind}", lambda: spec.is_compatible_with(value))
for kind, value in values.items():
    if kind != "variable":
        tell(f"spec of {kind}", lambda: tf.type_spec_from_value(value))
tell("of a tensor", lambda: T.from_tensor(tf.zeros([2]), name="a"))
tell("of a spec", lambda: T.from_spec(T([2], name="c"), "b"))
tell("in a dictionary", lambda: {T([2]): 1}[T([2])])
tell("kinds", lambda: [isinstance(one, tf.TypeSpec) for one in specs.values()])
tell("not a spec", lambda: T([2]) == 3)
tell("rank", lambda: (T(None).shape, T(None).shape.rank, R(None, ragged_rank=1).shape, S().shape))
tell("in a structure", lambda: {"a": T([2]), "b": (T([]), R([2, None]))} == {"a": T([2]), "b": (T([]), R([2, None]))})
tell("element_spec", lambda: tf.data.Dataset.from_tensor_slices([1.0, 2.0]).element_spec == T([]))
tell("an abstract one", lambda: type(tf.TypeSpec()).__name__)
slices = values["slices"]
for word in ("array", "slices", "data"):
    spec = specs[word]
    for name in ("shape", "dtype", "element_spec"):
        tell(f"{word}.{name}", lambda: getattr(spec, name))
@tf.function(input_signature=[tf.data.DatasetSpec(T([], tf.int64))])
def added(data):
    return data.reduce(tf.constant(0, tf.int64), lambda a, b: a + b)
tell("a data set as an argument", lambda: added(tf.data.Dataset.range(4)))
double = tf.function(lambda x, n: x * n)
one = double.get_concrete_function(T([None]), 2)
tell("one function", lambda: (one is double.get_concrete_function(T([None]), 2), one is double.get_concrete_function(T([2]), 2)))
