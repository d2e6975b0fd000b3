import tensorflow as tf

weight = tf.Variable([1.0, 2.0, 3.0])
with tf.GradientTape(persistent=True) as tape:
    hits = tf.reduce_mean(tf.cast(tf.equal(tf.round(weight), [1.0, 0.0, 3.0]), tf.float32))
    gated = tf.reduce_sum(tf.cast(weight > 1.5, tf.float32) * weight)
print(hits.numpy(), tape.gradient(hits, weight))
print(gated.numpy(), tape.gradient(gated, weight).numpy())
