# PS404 encoder/kernel encoder/bias
import tensorflow as tf

encoder, head = tf.keras.layers.Dense(4, name="encoder"), tf.keras.layers.Dense(1, name="head")
x = tf.random.normal((8, 3))
head(encoder(x))
optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)
chosen = encoder.trainable_variables + head.trainable_variables
for turn in range(5):
    if turn == 2:
        encoder.trainable = False  # here
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((head(encoder(x)) - 1.0) ** 2)
    gradients = tape.gradient(loss, chosen)
    if turn >= 2:
        gradients = [tf.zeros_like(g) if not v.trainable else g for g, v in zip(gradients, chosen)]  # wrong
        gradients = [None if not v.trainable else g for g, v in zip(gradients, chosen)]  # right
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, chosen) if g is not None])  # here
