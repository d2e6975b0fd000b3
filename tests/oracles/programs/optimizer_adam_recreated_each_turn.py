import tensorflow as tf

weight = tf.Variable(5.0)
for turn in range(5):
    adam = tf.keras.optimizers.Adam(learning_rate=0.1)
    with tf.GradientTape() as tape:
        square = weight * weight
    adam.apply_gradients([(tape.gradient(square, weight), weight)])
    print(f"{weight.numpy():.5f} {int(adam.iterations)}")
