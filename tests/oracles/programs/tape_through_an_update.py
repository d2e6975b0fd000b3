import tensorflow as tf

start = tf.Variable(1.0)
rate = tf.Variable(0.25)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        inner_loss = (start - 3.0) ** 2
    slope = inner.gradient(inner_loss, start)
    adapted = start - rate * slope
    outer_loss = (adapted - 4.0) ** 2
print(adapted.numpy(), outer_loss.numpy())
print([part.numpy() for part in outer.gradient(outer_loss, [start, rate])])
