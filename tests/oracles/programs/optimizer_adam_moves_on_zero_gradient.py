import tensorflow as tf

weight = tf.Variable(1.0)
adam = tf.keras.optimizers.Adam(learning_rate=0.1)
for slope in (1.0, 0.0, 0.0, 0.0):
    adam.apply_gradients([(tf.constant(slope), weight)])
    print(f"{weight.numpy():.5f}")
