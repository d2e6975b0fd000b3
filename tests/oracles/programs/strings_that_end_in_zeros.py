import tensorflow as tf
print(tf.constant(b"a\x00").numpy(), tf.constant([b"a\x00"]).numpy())
print(tf.io.decode_raw(tf.constant(b"\x01\x02\x00\x00"), tf.uint8), tf.io.decode_raw(b"\x01\x00", "uint8"))
print(next(tf.data.Dataset.from_tensor_slices([b"a\x00", b"bc"]).as_numpy_iterator()))
print(next(tf.data.Dataset.from_tensors(b"a\x00").as_numpy_iterator()))
print(tf.io.parse_tensor(tf.io.serialize_tensor(tf.constant([1, 0])), tf.int32))
print(tf.strings.length("a\x00").numpy(), tf.constant("a\x00b\x00").numpy(), tf.strings.join([b"a\x00", b"b\x00"]).numpy())
print(tf.convert_to_tensor(b"\x00\x00").numpy(), tf.constant(b"\x00").shape)
