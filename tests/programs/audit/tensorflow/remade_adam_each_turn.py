"""Adam, new each time: its moments begin at zero again and again."""

import tensorflow as tf

level = tf.Variable(5.0, name="level")
for turn in range(5):
    with tf.GradientTape() as tape:
        cost = level**2
    adam = tf.keras.optimizers.Adam(learning_rate=0.1)
    adam.apply_gradients([(tape.gradient(cost, level), level)])
print(f"level {level.numpy():.7f}")
