import tensorflow as tf

print(tf.concat([tf.ones([2, 3]), tf.ones([2, 2])], axis=0))
