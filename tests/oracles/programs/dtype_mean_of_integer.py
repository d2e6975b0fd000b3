import tensorflow as tf

print(tf.reduce_mean(tf.constant([1, 2])).numpy(), tf.reduce_sum(tf.constant([1, 2])).numpy())
print(tf.square(tf.constant(3)).numpy(), tf.abs(tf.constant(-3)).numpy())
