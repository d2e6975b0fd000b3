import numpy as np
import tensorflow as tf

x = np.arange(12.0, dtype=np.float32).reshape(4, 3)
rows = tf.data.Dataset.from_tensor_slices(x).batch(2)
factor, count, scale = tf.Variable(3.0), tf.Variable(0), tf.constant(2.0) * 3.0


def scaled(one):
    return one * factor if one.shape.rank == 2 else one


made = rows.map(scaled)
print([one.numpy().sum() for one in made])
factor.assign(0.5)
print([one.numpy().sum() for one in made])


def counted(one):
    count.assign_add(one.shape.rank)
    return one * scale


print([one.numpy().sum() for one in rows.map(counted)], count.numpy())
generator = tf.random.Generator.from_seed(1)


def drawn(one):
    return generator.uniform([one.shape.rank + 1])


print([one.numpy().round(4).tolist() for one in tf.data.Dataset.range(2).map(drawn)])
print(generator.uniform([1]).numpy().round(4).tolist())
dense = tf.keras.layers.Dense(2, kernel_initializer="ones")


def layered(one):
    return dense(one) if one.shape.rank == 2 else one


print([one.numpy().tolist() for one in rows.map(layered)])
print(dense(x).numpy().tolist(), dense.kernel.numpy().tolist())
