import tensorflow as tf

logits = tf.constant([[1.0, 2, 3], [0, 1, 0], [2, 2, 1]])
labels = tf.constant([[1.0, 1, 0], [0, 2, 1], [0, 0, 0]])
for loss in (
    lambda: tf.nn.softmax_cross_entropy_with_logits(labels, logits),
    lambda: tf.nn.softmax_cross_entropy_with_logits(labels, logits, axis=0),
    lambda: tf.keras.losses.CategoricalCrossentropy(from_logits=True)(labels, logits),
    lambda: tf.keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1)(labels, logits),
    lambda: tf.keras.losses.CategoricalCrossentropy()(labels, tf.keras.activations.softmax(logits)),
    lambda: tf.compat.v1.nn.softmax_cross_entropy_with_logits_v2(labels, logits),
):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([logits, labels])
        value = loss()
    print(value.numpy().round(4).tolist(), [
        (tape.gradient(value, one).numpy().round(4) + 0.0).tolist() for one in (logits, labels)
    ])

shape, unknown = tf.TensorShape([16, None, 256]), tf.TensorShape(None)
print(unknown, repr(unknown), unknown.rank, unknown.dims, bool(unknown), unknown.is_fully_defined())
print(unknown.is_compatible_with([1, 2]), shape.is_compatible_with(unknown), unknown.concatenate([2]), unknown == shape)
for wrong in (lambda: len(unknown), lambda: unknown.as_list(), lambda: list(unknown)):
    try:
        wrong()
    except ValueError as error:
        print(error)
Dimension = tf.compat.v1.Dimension
print(Dimension(None).is_compatible_with(16), Dimension(2) + 3, 7 - Dimension(2), Dimension(None) * 2, Dimension(5) // 2)
print(Dimension(2) == 2, Dimension(None) == 2, Dimension(3) > 2, str(Dimension(None)), int(Dimension(4)))
try:
    Dimension(2).merge_with(3)
except ValueError as error:
    print(error)
x, y = tf.Variable(0.0), tf.Variable(0.0)
tf.compat.v1.disable_tensor_equality()
one = tf.constant(1.0)
print(x == y, x == x, x != y, len({x, y}), one == one, one == tf.constant(1.0))
tf.compat.v1.enable_tensor_equality()
print((x == y).numpy(), (x != y).numpy())
try:
    hash(x)
except TypeError as error:
    print(error)
print(tf.inside_function(), tf.function(tf.inside_function)().numpy())


class Case(tf.test.TestCase):
    def test_values(self):
        self.assertAllClose(tf.constant([1.0, 2.0]), [1.0, 2.0000001])
        self.assertAllEqual(tf.constant([1, 2]), [1, 2])
        self.assertNotAllClose([1.0], [2.0])
        self.assertAllClose({"a": tf.ones(2)}, {"a": [1.0, 1.0]})
        for wrong in (lambda: self.assertAllEqual([1], [2]), lambda: self.assertAllClose([1.0], [1.1]),
                      lambda: self.assertAllEqual([1, 1], 1)):
            with self.assertRaises(AssertionError):
                wrong()
        print(self.evaluate(tf.constant(3)), tf.test.is_built_with_cuda(), tf.test.gpu_device_name() == "")


Case("test_values").test_values()
print(tf.one_hot([0, 2], 3, "on", "off"), tf.one_hot([1], 2, "a", "b", axis=0).numpy().tolist())
