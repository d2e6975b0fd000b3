import tensorflow as tf

vector = tf.constant([0.1, 0.2])
print(f"{vector:.3f}")
