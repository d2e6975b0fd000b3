import tensorflow as tf

weight = tf.Variable(3.0)
tape = tf.GradientTape()
for power in (2, 3):
    with tape:
        value = weight**power
    print(tape.gradient(value, weight).numpy())
