import tensorflow as tf

print(+tf.Variable(1.0))
