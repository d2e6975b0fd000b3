import tensorflow as tf

weight = tf.Variable(2.0)
total = tf.constant(0.0)
with tf.GradientTape() as tape:
    for turn in range(3):
        total = total + weight * float(turn)
        weight.assign_add(1.0)
print(total.numpy(), weight.numpy(), tape.gradient(total, weight).numpy())
