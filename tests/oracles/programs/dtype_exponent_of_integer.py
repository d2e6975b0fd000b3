import tensorflow as tf

whole = tf.constant([1, 2, 3])
print(whole**2)
print(whole ** tf.constant(2.0))
