import tensorflow as tf

weight = tf.Variable(4.0)
skipped = tf.Variable(0)
descent = tf.keras.optimizers.SGD(learning_rate=0.25)
for turn in range(6):
    with tf.GradientTape() as tape:
        square = weight * weight
    slope = tape.gradient(square, weight)
    if turn % 2 == 0:
        descent.apply_gradients([(slope, weight)])
    else:
        skipped.assign_add(1)
    print(turn, weight.numpy(), skipped.numpy(), int(descent.iterations))
