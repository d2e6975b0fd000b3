import tensorflow as tf

whole = tf.constant([1, 2])
print(1.5 + whole)
