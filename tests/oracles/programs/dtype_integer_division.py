import tensorflow as tf

whole = tf.constant([7, -7])
print(whole / 2)
print(whole // 2)
print(whole % 3)
print(1 / tf.constant(2))
