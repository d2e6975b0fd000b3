import numpy as np
import tensorflow as tf

tf.get_logger().setLevel("ERROR")
ops = tf.keras.ops
x = tf.reshape(tf.range(180.0) * 7 % 23, (2, 5, 6, 3)) / 23
k = (np.arange(3 * 2 * 4 * 3, dtype="float32").reshape(3, 2, 4, 3) * 5 % 17) / 17
first = tf.transpose(x, (0, 3, 1, 2))
row = x[:, 0]


def shown(value):
    if isinstance(value, (tuple, list)):
        return [shown(one) for one in value]
    array = ops.convert_to_numpy(value)
    numbers = array.astype("float64")
    weights = np.cos(np.arange(numbers.size)).reshape(numbers.shape)
    return array.dtype.name, array.shape, round(float((numbers * weights).sum()), 3), round(float(numbers.sum()), 2) + 0.0


print(shown(ops.conv_transpose(x, k)), shown(ops.conv_transpose(x, k, 2, "same")), shown(ops.nn.conv_transpose(x, k, (2, 1))))
print(shown(ops.conv_transpose(x, k, 2, "same", output_padding=1)))
print(shown(ops.conv_transpose(row, k[0], 2)))
apart, points = np.ones((2, 2, 3, 2), "float32") * 0.5, np.arange(24, dtype="float32").reshape(1, 1, 6, 4) / 24
print(shown(ops.separable_conv(x, apart, points)), shown(ops.separable_conv(x, apart, points, 2, "same")))
print(shown(ops.separable_conv(row, apart[0], points[0])))
print(shown(ops.depthwise_conv(x, apart, (1, 1), dilation_rate=2)), shown(ops.depthwise_conv(row, apart[0])))
turned = ops.transpose(k, (0, 1, 3, 2))
print(shown(ops.conv(x, turned, 2, "same")), shown(ops.depthwise_conv(first, apart, data_format="channels_first")))
for name in ("adaptive_average_pool", "adaptive_max_pool"):
    pool = getattr(ops, name)
    print(name, shown(pool(x, 2)), shown(pool(x, (3, 4))), shown(pool(row, 4)), shown(pool(first, 2, data_format="channels_first")))
    print(name, shown(pool(tf.stack([x, x * 2.0], 1), (2, 2, 3))))
for name in ("max_pool", "average_pool"):
    print(name, shown(getattr(ops, name)(first, 2, 1, "same", "channels_first")))
print(shown(ops.unfold(first, 2)), shown(ops.unfold(first, (2, 3), dilation=(2, 1), padding=1, stride=2)))
print(shown(ops.fold(ops.unfold(first, 2), (5, 6), 2)))
print(shown(ops.fold(ops.unfold(first, (2, 3), 1, (1, 0), (2, 1)), (5, 6), (2, 3), 1, (1, 0), (2, 1))))
labels, logits = np.array([[1, 2, 1], [3, 3, 0]]), np.sin(np.arange(2 * 7 * 5, dtype="float32")).reshape(2, 7, 5) * 2
lengths, steps = np.array([3, 2]), np.array([7, 6])
print(shown(ops.ctc_loss(labels, logits, lengths, steps)), shown(ops.ctc_loss(labels, logits, lengths, steps, mask_index=4)))
for words in ({}, {"merge_repeated": False}, {"mask_index": 4}, {"strategy": "beam_search", "beam_width": 5, "top_paths": 2}):
    decoded, scores = ops.ctc_decode(logits, steps, **words)
    print(words, ops.convert_to_numpy(decoded).tolist(), np.round(ops.convert_to_numpy(scores), 4).tolist())
weight, kernel = tf.Variable(first), tf.Variable(k)
with tf.GradientTape() as tape:
    total = ops.sum(ops.conv_transpose(ops.transpose(weight, (0, 2, 3, 1)), kernel, 2) ** 2)
    total += ops.sum(ops.unfold(weight, 2) ** 3)
    total += ops.sum(ops.fold(ops.unfold(weight, 2), (5, 6), 2) ** 2)
    total += ops.sum(ops.separable_conv(ops.transpose(weight, (0, 2, 3, 1)), apart, points) ** 2)
print(shown(tape.gradient(total, [weight, kernel])))
scores = tf.Variable(logits)
with tf.GradientTape() as tape:
    total = ops.sum(ops.ctc_loss(labels, scores, lengths, steps))
print(shown(tape.gradient(total, scores)))
for text in ("ops.unfold(x[0], 2)", "ops.fold(x, 2, 2)", "ops.ctc_decode(logits, steps, strategy='best')", "ops.adaptive_max_pool(x[0, 0], 2)"):
    try:
        eval(text)
    except ValueError as problem:
        print(isinstance(problem, TypeError), str(problem).partition("\n")[0].partition(" Received")[0])
