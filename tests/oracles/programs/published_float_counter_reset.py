import tensorflow as tf

ticks = tf.Variable(0.0)

for turn in range(5):
    with tf.GradientTape() as tape:
        cost = ticks * 2
    slopes = tape.gradient(cost, [ticks])
    descent = tf.keras.optimizers.SGD(learning_rate=0.01)
    descent.apply_gradients(zip(slopes, [ticks]))
    if turn % 2 == 0:
        ticks.assign(0)
    print(f"turn {turn}: {ticks.numpy()}")
