import tensorflow as tf

position = tf.Variable(0.0)
adam = tf.keras.optimizers.Adam(learning_rate=0.1)

for turn in range(10):
    with tf.GradientTape() as tape:
        energy = position**2
    slopes = tape.gradient(energy, [position])
    adam.apply_gradients(zip(slopes, [position]))
    position.assign_add(0.5)
    print(f"turn {turn}: {position.numpy()}")
