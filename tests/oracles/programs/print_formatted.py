import tensorflow as tf

variable = tf.Variable(0.1)
tensor = tf.constant(0.1)
vector = tf.constant([0.1, 0.2])
print(f"{variable.numpy()} {tensor.numpy()} {vector.numpy()}")
print(f"{tensor} | {vector}")
print(f"{variable}")
print(f"{tensor:.3f} {tensor.numpy():.3f} {float(variable):.3f}")
print("%.2f" % tensor, "{:.1e}".format(tensor.numpy()))
print(str(tensor.numpy()), repr(tensor.numpy()), tensor.numpy().dtype)
print(vector.numpy().tolist())
