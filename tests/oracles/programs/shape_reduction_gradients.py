import tensorflow as tf

weight = tf.Variable([[1.0, 2.0], [4.0, 8.0]])
with tf.GradientTape(persistent=True) as tape:
    results = [
        tf.reduce_sum(weight),
        tf.reduce_sum(weight, axis=0),
        tf.reduce_mean(weight, axis=1, keepdims=True),
        tf.reduce_max(weight),
        tf.reduce_min(weight, axis=1),
        tf.reduce_prod(weight),
        tf.reduce_mean(weight, axis=[0, 1]),
        tf.reduce_sum(weight, axis=-1),
    ]
for result in results:
    print(result.shape, result.numpy().tolist(), tape.gradient(result, weight).numpy().tolist())
