import tensorflow as tf

seen = tf.Variable(2.0)
unseen = tf.Variable(3.0)
with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(seen)
    product = seen * unseen
print(tape.gradient(product, {"seen": seen, "unseen": unseen}))
print(len(tape.watched_variables()))
