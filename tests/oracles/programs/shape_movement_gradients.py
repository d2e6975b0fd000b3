import tensorflow as tf

weight = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
with tf.GradientTape(persistent=True) as tape:
    results = [
        tf.reshape(weight, [3, 2]) * [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
        tf.transpose(weight) * [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
        tf.concat([weight, weight * 10.0], axis=0),
        tf.stack([weight[0], weight[1] * 2.0], axis=1),
        weight[:, ::2] * 3.0,
        weight[..., tf.newaxis] * [7.0, 8.0],
        tf.tile(weight, [2, 1]),
        tf.expand_dims(weight, 0) - tf.squeeze(weight[:1]),
        tf.split(weight, 3, axis=1)[1],
        tf.pad(weight, [[1, 0], [0, 1]]) * 2.0,
    ]
for result in results:
    print(result.shape, tape.gradient(result, weight).numpy().tolist())
