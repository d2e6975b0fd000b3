import tensorflow as tf

whole = tf.constant([1, 2])
print(whole + 1)
print(whole + 1.5)
