import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
w = tf.get_variable("part/w", [1])
v = tf.get_variable("other/v", [1], trainable=False)
print(tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES))
print(tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="other"))
tf.add_to_collection("mine", w)
print(tf.get_collection("mine"), tf.get_collection("nothing"))
print(tf.trainable_variables("part"), [one.name for one in tf.global_variables()])
