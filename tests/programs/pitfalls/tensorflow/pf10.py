# PS107 w
import tensorflow as tf

w, b = tf.Variable(3.0, name="w"), tf.Variable(1.0, name="b")
optimizer = tf.keras.optimizers.SGD(0.1)
for _ in range(3):
    prediction = w * 3.0  # wrong
    with tf.GradientTape() as tape:
        prediction = w * 3.0  # right
        loss = (prediction - b) ** 2
    pairs = zip(tape.gradient(loss, [w, b]), [w, b])
    optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None])
