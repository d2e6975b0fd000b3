import tensorflow as tf

slope = tf.Variable(0.0, name="slope")
intercept = tf.Variable(0.0, name="intercept")
inputs = tf.constant([0.0, 1.0, 2.0, 3.0])
wanted = tf.constant([1.0, 3.0, 5.0, 7.0])
descent = tf.keras.optimizers.SGD(learning_rate=0.125)
for turn in range(10):
    with tf.GradientTape() as tape:
        cost = tf.reduce_mean(tf.square(slope * inputs + intercept - wanted))
    gradients = tape.gradient(cost, [slope, intercept])
    descent.apply_gradients(zip(gradients, [slope, intercept]))
    print(f"{cost.numpy():.5f} {slope.numpy():.5f} {intercept.numpy():.5f}")
