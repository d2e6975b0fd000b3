import numpy as np
import tensorflow as tf


def count():
    for i in range(5):
        yield i, np.ones(i % 3 + 1) * i


print("padded")
kinds = tf.int32, tf.float32
pairs = tf.data.Dataset.from_generator(count, output_types=kinds, output_shapes=((), (None,)))
for numbers, rows in pairs.padded_batch(3):
    print(numbers.numpy().tolist(), rows.numpy().tolist())
print("options")
options = tf.data.Options()
print(options.deterministic, options.threading.private_threadpool_size, options.autotune.enabled)
options.deterministic = False
options.threading.private_threadpool_size = 4
options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
data = tf.data.Dataset.range(3).with_options(options)
print(data.options().deterministic, data.options().threading.private_threadpool_size)
print(data.options().experimental_distribute.auto_shard_policy, [int(one) for one in data])
print(list(tf.data.experimental.AutoShardPolicy), tf.data.Dataset.range(2).options().deterministic)
for name, value in (("nothing", 1), ("deterministic", "x")):
    try:
        setattr(options, name, value)
    except (AttributeError, TypeError) as error:
        print(type(error).__name__, error)
print("rows of their own")
table = tf.reshape(tf.range(24.0), [2, 3, 4])
print(tf.gather(table, [[0, 2], [1, 1]], batch_dims=1).numpy().tolist())
print(tf.gather(table, [[3, 0], [1, 2]], axis=2, batch_dims=1).numpy().tolist())
print(tf.gather(table, [[[0], [1], [2]], [[3], [2], [1]]], batch_dims=2).numpy().tolist())
print(tf.gather(table, [[[3, 0], [1, 2]], [[0, 0], [2, 3]]], axis=-1, batch_dims=1).shape)
print(tf.gather(table, [2, 0], batch_dims=-1, axis=2).numpy().tolist())
v = tf.Variable(table)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.gather(v, [[0, 2], [1, 1]], batch_dims=1) ** 2)
print(tf.convert_to_tensor(tape.gradient(loss, v)).numpy().tolist())
try:
    print(tf.gather(table, [[0, 3], [1, 1]], batch_dims=1))
except tf.errors.InvalidArgumentError:
    print("out of range")
