import tensorflow as tf

weight = tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    before = weight * weight
    weight.assign(10.0)
    after = weight * weight
    both = before + after
print(before.numpy(), tape.gradient(before, weight).numpy())
print(after.numpy(), tape.gradient(after, weight).numpy())
print(both.numpy(), tape.gradient(both, weight).numpy())
