import tensorflow as tf

weight = tf.Variable([1.25, -2.5, 3.5, 0.0])
for name in ("round", "floor", "ceil", "sign"):
    with tf.GradientTape() as tape:
        value = getattr(tf.math, name)(weight)
    print(name, value.numpy(), tape.gradient(value, weight))
