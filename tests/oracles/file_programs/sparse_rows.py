import tensorflow as tf
x = tf.sparse.SparseTensor([[0, 0], [0, 2], [3, 1], [4, 3]], [1.0, 2.0, 3.0, 4.0], [5, 4])
words = tf.sparse.SparseTensor([[1, 0], [2, 1]], ["a", "b"], [3, 2])
def shown(one):
    return one.indices.numpy().tolist(), one.values.numpy().tolist(), one.dense_shape.numpy().tolist()
data = tf.data.Dataset.from_tensor_slices(x)
print(data.element_spec, len(data))
for one in data:
    print(shown(one))
for one in data.batch(2):
    print(shown(one))
for one in data.batch(2).unbatch():
    print(shown(one))
for one in data.map(lambda row: row * 2.0).batch(5):
    print(shown(one))
for one, number in tf.data.Dataset.from_tensor_slices((words, [1, 2, 3])).batch(2):
    print(shown(one), number.numpy().tolist())
v = tf.Variable([1.0, 2.0, 3.0, 4.0])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum((x * v).values * 3.0) + tf.sparse.reduce_sum(x / (v + 1.0))
print(loss.numpy(), tape.gradient(loss, v).numpy(), shown(x * [[2.0]] * tf.ones([5, 1])), shown(x / 2))
