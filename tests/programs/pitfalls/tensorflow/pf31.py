# PS404 frozen
import tensorflow as tf

frozen, free = tf.Variable(1.0, name="frozen", trainable=False), tf.Variable(1.0, name="free")
optimizer = tf.keras.optimizers.AdamW(0.1, weight_decay=0.5)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = (frozen * free - 3.0) ** 2
    pairs = [(tape.gradient(loss, free), free)]
    pairs.append((tf.zeros_like(frozen), frozen))  # wrong
    optimizer.apply_gradients(pairs)  # here
