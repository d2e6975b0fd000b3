"""make_tensor_proto and make_ndarray: what a message holds, and what is read back."""

import numpy as np
import tensorflow as tf

make = tf.make_tensor_proto
given = {
    "fraction": (1.5, {}), "whole": (3, {}), "wholes": ([1, 2, 3], {}), "fractions": ([1.5, 2.5], {}),
    "array": (np.array([1.5, 2.5]), {}), "whole array": (np.array([1, 2]), {}), "word": ("abc", {}),
    "words": (["a", b"bc"], {}), "truths": ([True, False], {}), "truth": (True, {}),
    "one for all": (7, {"shape": [2, 2]}), "too few": ([1, 2], {"shape": [2, 2]}),
    "float64": ([1, 2], {"dtype": tf.float64}), "half": (1.5, {"dtype": tf.float16}),
    "halves": ([1.5, 2], {"dtype": tf.float16}), "bfloat16": ([1.5, 2], {"dtype": tf.bfloat16}),
    "complex": (1 + 2j, {}), "uint8": (3, {"dtype": tf.uint8}), "large": (2**40, {}),
    "negative": (-5, {}), "tensor": (tf.constant([[1, 2], [3, 4]]), {}), "empty": ([], {}),
    "broadcast": ([1], {"shape": [3], "allow_broadcast": True}), "rows of none": (np.zeros((0, 3)), {}),
    "words of a tensor": (tf.constant(["x", "yz"]), {}),
}  # fmt: skip
for name, (values, options) in given.items():
    message = make(values, **options)
    print(name, str(message).replace("\n", " "), message.SerializeToString())
    back = tf.make_ndarray(message)
    print(back.dtype, back.shape, back.tolist())
message = make([[1.0, 2.0], [3.0, 4.0]])
print(message.dtype, [one.size for one in message.tensor_shape.dim], message.tensor_content, list(message.float_val))
other = type(message)()
other.CopyFrom(message)
print(other == message, type(message).FromString(message.SerializeToString()) == message, make(message) is message)
print(tf.io.parse_tensor(message.SerializeToString(), tf.float32).numpy().tolist())
print(tf.io.parse_tensor(make([True, False]).SerializeToString(), tf.bool).numpy().tolist())
print(tf.make_ndarray(type(message).FromString(tf.io.serialize_tensor(tf.constant([1, 2])).numpy())).tolist())
for name, values, options in (
    ("shape", [1, 2], {"shape": [3], "verify_shape": True}), ("many", [1, 2, 3], {"shape": [2]}),
    ("dtype", 1.5, {"dtype": tf.int32}), ("none", None, {}), ("word", "a", {"dtype": tf.float32}),
    ("both", 1, {"verify_shape": True, "allow_broadcast": True}),
):  # fmt: skip
    try:
        make(values, **options)
    except (TypeError, ValueError) as error:
        print(name, isinstance(error, ValueError), str(error).partition("\n")[0])
