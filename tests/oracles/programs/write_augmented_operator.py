import tensorflow as tf

weight = tf.Variable(2.0)
alias = weight
weight += 1.0
print(type(weight).__name__, weight.numpy(), alias.numpy())
weight.assign(3.0)
