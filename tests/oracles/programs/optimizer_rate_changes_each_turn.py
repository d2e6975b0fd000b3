import tensorflow as tf

weight = tf.Variable(8.0)
descent = tf.keras.optimizers.SGD(learning_rate=0.5)
for turn in range(6):
    descent.learning_rate = 0.5 / (turn + 1)
    with tf.GradientTape() as tape:
        cost = 0.5 * weight * weight
    descent.apply_gradients([(tape.gradient(cost, weight), weight)])
    print(f"{float(descent.learning_rate):.5f} {weight.numpy():.5f}")
