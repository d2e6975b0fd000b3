import tensorflow as tf

print(float(tf.constant([1.5])))
print(float(tf.constant([1.5, 2.5])))
