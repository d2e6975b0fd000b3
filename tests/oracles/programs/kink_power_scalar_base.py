import tensorflow as tf

exponent = tf.Variable([-1.0, 0.0, 3.0])
for base in (2.0, 1.0, 0.0, -1.0):
    with tf.GradientTape() as tape:
        value = base**exponent
    print(base, value.numpy(), [round(float(slope), 5) for slope in tape.gradient(value, exponent)])
