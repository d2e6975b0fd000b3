import tensorflow as tf

print(tf.sigmoid(tf.constant([0, 1])))
