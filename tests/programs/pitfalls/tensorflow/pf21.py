# nothing
import tensorflow as tf

w = tf.Variable(1.0, name="w")
optimizer = tf.keras.optimizers.SGD(0.1, loss_scale_factor=1024.0)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = w * 5.0
        loss = optimizer.scale_loss(loss)  # right
    gradient = tape.gradient(loss, w)
    optimizer.apply_gradients([(gradient, w)])
