import tensorflow as tf

scores = tf.Variable([1.0, 5.0, 2.0])
with tf.GradientTape(persistent=True) as tape:
    index = tf.argmax(scores)
    chosen = scores[index]
    value = tf.cast(index, tf.float32) * 2.0
print(index)
print(tape.gradient(value, scores))
print(tape.gradient(chosen, scores).numpy())
