import tensorflow as tf

weight = tf.Variable([1.0, 2.0])
unused = tf.Variable(1.0)
with tf.GradientTape() as tape:
    total = tf.reduce_sum(weight * weight)
slopes = tape.gradient(total, [weight, unused])
print(slopes)
print(total, slopes[0])
