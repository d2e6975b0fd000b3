import numpy as np
import tensorflow as tf

strategy = tf.distribute.get_strategy()
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
    optimizer = tf.keras.optimizers.SGD(0.1)
data = tf.data.Dataset.from_tensor_slices((np.ones((4, 2), "float32"), np.zeros((4, 1), "float32"))).batch(2)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss


for x, y in strategy.experimental_distribute_dataset(data):
    loss = strategy.run(step, args=(x, y))
    print(round(float(strategy.reduce(tf.distribute.ReduceOp.SUM, loss, axis=None)), 4))
print(strategy.num_replicas_in_sync, len(strategy.experimental_local_results(loss)), tf.distribute.has_strategy())
keys = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
table = tf.lookup.StaticHashTable(keys, -1)
print(table.lookup(tf.constant(["b", "c"])).numpy().tolist(), int(table.size()), table[tf.constant("a")].numpy())
back = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1, 2], ["x", "y"]), "?")
print(back.lookup(tf.constant([2, 5])).numpy().tolist())
with tf.init_scope():
    print(tf.inside_function(), tf.get_logger().name, tf.version.VERSION.split(".")[0])
print(tf.autograph.experimental.do_not_convert(abs)(-3))
print(tf.pad([1, 2, 3], [[2, 1]], mode="REFLECT").numpy().tolist(), tf.pad([[1, 2]], [[0, 0], [1, 2]], "SYMMETRIC").numpy().tolist())
print(np.round(tf.image.resize_with_pad(np.arange(12.0).reshape(2, 3, 2), 4, 4).numpy(), 3).tolist())
