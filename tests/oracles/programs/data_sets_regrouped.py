import tensorflow as tf

numbers = tf.data.Dataset.range(8).batch(4)
for sizes, drop in (([2, 1, 1], False), ([3], False), ([3, 2], True), (3, True)):
    print([one.tolist() for one in numbers.rebatch(sizes, drop).as_numpy_iterator()])
inverse = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 4.0, 0.0, 5.0])
inverse = inverse.map(lambda x: tf.debugging.check_numerics(1.0 / x, "inverse"))
for passed in (inverse, inverse.filter(lambda x: x < 1), inverse.batch(2)):
    print([one.numpy().tolist() for one in passed.ignore_errors()])
try:
    list(inverse)
except tf.errors.InvalidArgumentError:
    print("refused")
print(tf.TensorSpec.from_tensor(tf.constant([1, 2])), tf.TensorSpec.from_tensor(tf.constant([1, 2]), "n"))
print(tf.TensorSpec.from_spec(tf.TensorSpec([1, None], tf.int32, "a"), "b"))
tf.TensorShape([None, 3]).assert_is_compatible_with([2, 3])
tf.debugging.assert_type(tf.sparse.from_dense([[1, 0]]), tf.int32)
print(tf.io.gfile.join("gs://bucket", "file"), tf.io.gfile.glob(iter({"/nowhere/*"})))
