import tensorflow as tf

weight = tf.Variable(1.5)
with tf.GradientTape() as tape:
    value = weight
    for _ in range(2):
        value = value * value + weight
print(value.numpy(), tape.gradient(value, weight).numpy())
