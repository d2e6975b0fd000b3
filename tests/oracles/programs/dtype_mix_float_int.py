import tensorflow as tf

real = tf.Variable(1.5)
whole = tf.Variable(2)
print(real * whole)
