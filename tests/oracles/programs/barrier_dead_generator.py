import tensorflow as tf

generator = tf.Variable(0.5, name="generator")
discriminator = tf.Variable(-1.0, name="discriminator")
descent = tf.keras.optimizers.SGD(learning_rate=0.1)
with tf.GradientTape() as tape:
    fake = generator * 2.0
    verdict = tf.sigmoid(discriminator * fake)
    loss = -tf.math.log(tf.stop_gradient(verdict))
slopes = tape.gradient(loss, [generator])
print(slopes)
descent.apply_gradients(zip(slopes, [generator]))
