import tensorflow as tf

weight = tf.Variable([1.0, 2.0, 3.0])
scale = tf.Variable(2.0)
with tf.GradientTape() as tape:
    values = weight * weight * scale
slopes = tape.gradient(values, [weight, scale])
print(slopes[0].numpy(), slopes[1].numpy())
