import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 3])
training = tf.placeholder(tf.bool, [])
tf.keras.layers.Dropout(0.5)(x, training=training)
