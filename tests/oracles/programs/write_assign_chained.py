import tensorflow as tf

number = tf.Variable(1.0)
print(number.assign(2.0).assign_add(3.0).assign_sub(0.5).numpy())
print(number.assign(7.0, read_value=False))
print(number.assign_add(1.0, read_value=True).numpy())
