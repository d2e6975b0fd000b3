import tensorflow as tf

matrix = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
print((matrix @ matrix).numpy().tolist())
print((matrix @ [[1.0], [1.0]]).numpy().tolist())
print(([[1.0, 1.0]] @ matrix).numpy().tolist())
print((matrix * matrix).numpy().tolist(), tf.transpose(matrix).numpy().tolist())
