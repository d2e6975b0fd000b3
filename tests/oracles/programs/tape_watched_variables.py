import tensorflow as tf

first = tf.Variable(2.0, name="first")
second = tf.Variable(3.0, name="second")
unread = tf.Variable(4.0, name="unread")
fixed = tf.Variable(5.0, name="fixed", trainable=False)
with tf.GradientTape() as tape:
    product = first * second * first * fixed
print([variable.name for variable in tape.watched_variables()])
