import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.constant(1.0)
print(x is None, x == x, x == 1.0)
if x > 0.0:
    print("never")
