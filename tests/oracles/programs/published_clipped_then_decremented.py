import tensorflow as tf

level = tf.Variable(1.0)
descent = tf.keras.optimizers.SGD(learning_rate=0.01)

for turn in range(10):
    with tf.GradientTape() as tape:
        cost = level**2
    slopes = tape.gradient(cost, [level])
    bounded = [tf.clip_by_value(slope, -0.5, 0.5) for slope in slopes]
    descent.apply_gradients(zip(bounded, [level]))
    level.assign_sub(0.1)
    print(f"turn {turn}: {level.numpy()}")
