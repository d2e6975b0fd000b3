import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
w = tf.Variable(1.0)
more = tf.assign_add(w, 1.0)
first, second = tf.Session(), tf.Session()
first.run(w.initializer)
second.run(w.initializer)
print(first.run(more), first.run(more), second.run(w))
first.run(w.initializer)
print(first.run(w))
