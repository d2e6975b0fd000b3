import tensorflow as tf

frozen = tf.Variable(1.0, trainable=False, name="frozen")
unread = tf.Variable(1.0, name="unread")
dead_end = tf.Variable(1.0, name="dead_end")
stopped = tf.Variable(1.0, name="stopped")
rounded = tf.Variable(1.0, name="rounded")
whole = tf.Variable(1, name="whole")
flowing = tf.Variable(1.0, name="flowing")
with tf.GradientTape() as tape:
    ignored = dead_end * 2.0
    total = flowing * frozen + tf.stop_gradient(stopped) + tf.round(rounded) + tf.cast(whole, tf.float32)
variables = [frozen, unread, dead_end, stopped, rounded, whole, flowing]
for variable, slope in zip(variables, tape.gradient(total, variables)):
    print(variable.name, slope)
