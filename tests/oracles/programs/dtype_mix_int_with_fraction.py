import tensorflow as tf

whole = tf.Variable(2)
print(whole * 2)
print(whole * 0.5)
