import tensorflow as tf

weight = tf.Variable(2.0)
with tf.GradientTape() as tape:
    square = weight * weight
    if square > 3.0:
        value = square * float(square)
    else:
        value = square
    print(square.numpy(), bool(square > 3.0))
print(value.numpy(), tape.gradient(value, weight).numpy())
