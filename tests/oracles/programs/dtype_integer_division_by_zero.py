import tensorflow as tf

print(tf.constant([1.0, -1.0, 0.0]) / 0.0)
print(tf.constant([7]) // 0)
