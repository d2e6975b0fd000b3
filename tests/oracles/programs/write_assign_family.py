import tensorflow as tf

vector = tf.Variable([1.0, 2.0, 3.0])
vector.assign([4.0, 5.0, 6.0])
print(vector.numpy())
vector.assign_add([1.0, 1.0, 1.0])
vector.assign_sub(tf.constant([0.5, 0.25, 0.125]))
print(vector.numpy())
vector.assign_add(vector)
print(vector.numpy())
vector.assign(vector[::-1])
print(vector.numpy())
number = tf.Variable(1)
print(number.assign_add(2).numpy(), number.assign_sub(5).numpy())
