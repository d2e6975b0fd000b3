import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
w = tf.get_variable("w", [2])
try:
    tf.Session().run(w + 1.0)
except tf.errors.FailedPreconditionError as error:
    print(type(error).__name__)
tf.Session().run(w)
