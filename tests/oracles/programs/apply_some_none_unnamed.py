import tensorflow as tf

used = tf.Variable(1.0)
unused = tf.Variable(2.0)
adam = tf.keras.optimizers.Adam(learning_rate=0.5)
adam.apply_gradients([(tf.constant(2.0), used), (None, unused)])
print(f"{used.numpy():.5f}", unused.numpy())
