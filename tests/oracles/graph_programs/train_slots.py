import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
w = tf.get_variable("w", [2])
optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
train = optimizer.minimize(tf.reduce_sum(w))
print(train.name, train.type, [v.name for v in tf.global_variables()], optimizer.get_slot_names())
print(optimizer.get_slot(w, "momentum"), tf.trainable_variables())
