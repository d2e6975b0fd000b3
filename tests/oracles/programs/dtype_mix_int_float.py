import tensorflow as tf

real = tf.constant(1.5)
whole = tf.constant(2)
print(whole - real)
