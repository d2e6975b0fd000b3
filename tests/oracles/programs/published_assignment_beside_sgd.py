import tensorflow as tf

stepped = tf.Variable(0.0, name="stepped", trainable=True)
written = tf.Variable(1.0, name="written", trainable=False)


def bowl(first, second):
    return (first - 2) ** 2 + (second - 3) ** 2


for turn in range(10):
    with tf.GradientTape() as tape:
        height = bowl(stepped, written)
    slopes = tape.gradient(height, [stepped])
    descent = tf.keras.optimizers.SGD(learning_rate=0.1)
    descent.apply_gradients(zip(slopes, [stepped]))
    written.assign(written - 0.1 * (2 * (written - 3)))
    print(f"turn {turn}: stepped {stepped.numpy()} written {written.numpy()}")
