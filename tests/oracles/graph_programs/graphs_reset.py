import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
a = tf.constant(1.0, name="a")
tf.reset_default_graph()
print(tf.constant(1.0, name="a").name, len(tf.get_default_graph().get_operations()))
tf.get_default_graph().get_tensor_by_name("b:0")
