import tensorflow as tf

source = tf.Variable(3.0)
copy = tf.Variable(0.0)
with tf.GradientTape() as tape:
    copy.assign(source * source)
    value = copy * 2.0
print(value.numpy(), tape.gradient(value, [source, copy]))
