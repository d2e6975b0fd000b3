import numpy as np
import tensorflow as tf

K = tf.keras.backend
x = tf.reshape(tf.sin(tf.range(24.0)), (2, 3, 4))
y = tf.reshape(tf.cos(tf.range(40.0)), (2, 4, 5))
pictures = tf.reshape(tf.range(2.0 * 3 * 4 * 2), (2, 3, 4, 2)) / 48


def shown(value):
    numbers = np.asarray(value).astype("float64")
    weights = np.cos(np.arange(numbers.size)).reshape(numbers.shape)
    return numbers.shape, round(float((numbers * weights).sum()), 3), round(float(numbers.sum()), 3)


print(shown(K.batch_dot(x, y)), shown(K.batch_dot(x, x, axes=2)), shown(K.batch_dot(x, x, axes=[1, 1])))
print(shown(K.batch_dot(x[:, 0], x[:, 1], axes=1)), shown(K.batch_dot(x, y[:, :, 0], axes=[2, 1])), shown(K.batch_dot(x[:, 0], y)))
print(shown(K.batch_dot(tf.reshape(x, (2, 3, 2, 2)), tf.reshape(y, (2, 2, 10)), axes=(3, 1))))
targets, guesses = tf.constant([[1.0, 0.0], [0.0, 1.0]]), tf.constant([[0.7, 0.4], [0.2, 0.9]])
for words in ({}, {"apply_class_balancing": True, "gamma": 1.5}, {"from_logits": True}):
    print(shown(K.binary_focal_crossentropy(targets, guesses, **words)))
for words in ({}, {"alpha": 0.5, "gamma": 1.0}, {"from_logits": True}):
    print(shown(K.categorical_focal_crossentropy(targets, guesses, **words)))
kernel = tf.reshape(tf.range(2.0 * 2 * 3 * 2), (2, 2, 3, 2)) / 24
print(shown(K.conv2d_transpose(pictures, kernel, (2, 4, 5, 3))), shown(K.conv2d_transpose(pictures, kernel, (None, 6, 8, 3), (2, 2), "same")))
print(shown(K.separable_conv2d(pictures, kernel[:, :, :2], tf.ones((1, 1, 4, 3)))))
print(shown(K.resize_images(pictures, 2, 3, "channels_last")), shown(K.resize_images(tf.transpose(pictures, (0, 3, 1, 2)), 2, 1, "channels_first", "bilinear")))
print(shown(K.resize_volumes(pictures[None], 2, 1, 3, "channels_last")))
chances = tf.nn.softmax(tf.reshape(tf.sin(tf.range(2.0 * 6 * 4)), (2, 6, 4)) * 3)
labels, lengths, steps = tf.constant([[0, 1, 2], [2, 2, 0]]), tf.constant([[3], [2]]), tf.constant([[6], [5]])
print(np.round(K.ctc_batch_cost(labels, chances, steps, lengths).numpy(), 4).tolist())
sparse = K.ctc_label_dense_to_sparse(labels, lengths[:, 0])
print(sparse.indices.numpy().tolist(), sparse.values.numpy().tolist(), sparse.dense_shape.numpy().tolist())
for words in ({}, {"greedy": False, "beam_width": 4, "top_paths": 2}):
    decoded, scores = K.ctc_decode(chances, steps[:, 0], **words)
    print([one.numpy().tolist() for one in decoded], np.round(scores.numpy(), 4).tolist())


def step(given, states):
    new = tf.tanh(given @ tf.ones((4, 3)) * 0.3 + states[0] * 0.5)
    return new * 2.0, [new]


for words in ({}, {"go_backwards": True}, {"mask": tf.constant([[True, True, False], [True, False, True]])}, {"unroll": True}):
    last, every, states = K.rnn(step, x, [tf.zeros((2, 3))], **words)
    print(sorted(words), shown(last), shown(every), shown(states[0]))
last, every, states = K.rnn(step, x, [tf.zeros((2, 3))], mask=tf.constant([[True, False, False], [True, False, True]]), zero_output_for_mask=True)
print(shown(last), shown(every), shown(states[0]))
scores = tf.Variable(chances)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(K.ctc_batch_cost(labels, scores, steps, lengths)) + tf.reduce_sum(K.rnn(step, scores, [tf.zeros((2, 3))])[1])
print(shown(tape.gradient(loss, scores)))
for function in (
    lambda: K.batch_dot(x[0, 0], x), lambda: K.batch_dot(x, x[:1]), lambda: K.batch_dot(x, y, axes=0), lambda: K.batch_dot(x, y, axes=1),
    lambda: K.resize_images(pictures, 2, 2, "last"), lambda: K.resize_images(pictures, 2, 2, "channels_last", "linear"),
):
    try:
        function()
    except ValueError as problem:
        print(str(problem).partition("\n")[0].partition(" Received")[0].partition(" with tf.shapes")[0])
