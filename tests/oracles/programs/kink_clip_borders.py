import tensorflow as tf

weight = tf.Variable([-2.0, -1.0, 0.0, 1.0, 2.0])
lower = tf.Variable(-1.0)
upper = tf.Variable(1.0)
with tf.GradientTape(persistent=True) as tape:
    fixed = tf.clip_by_value(weight, -1.0, 1.0)
    moving = tf.clip_by_value(weight, lower, upper)
print(fixed.numpy(), tape.gradient(fixed, weight).numpy())
print([slope.numpy().tolist() for slope in tape.gradient(moving, [weight, lower, upper])])
