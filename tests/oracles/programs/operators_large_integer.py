import tensorflow as tf

print(tf.constant(2147483647) + 1)
print(tf.Variable(2147483648))
