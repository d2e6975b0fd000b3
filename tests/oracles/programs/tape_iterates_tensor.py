import tensorflow as tf

weight = tf.Variable([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    total = tf.constant(0.0)
    for place, item in enumerate(weight):
        total += item**place
    first, _, last = tf.unstack(weight)
    total += 10.0 * first * last
print(total.numpy(), tape.gradient(total, weight).numpy())
