import tensorflow as tf

real = tf.Variable([1.5, -2.5])
whole = tf.Variable([3, -3])
double = tf.Variable([0.1], dtype=tf.float64)
print(real + 1, real * True, real - 0.5)
print(whole + 1, whole * 2, whole - True)
print(double * 0.1, double + 1)
print(tf.constant(0.1) * 3, tf.constant(0.1, tf.float64) * 3)
print(real**2, whole**2, -whole, abs(whole))
print(tf.add(real, 1), tf.multiply(2, real), tf.maximum(real, 0))
