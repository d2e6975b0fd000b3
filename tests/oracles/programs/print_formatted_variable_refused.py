import tensorflow as tf

variable = tf.Variable(0.1)
print(f"{variable:.3f}")
