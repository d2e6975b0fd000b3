import tensorflow as tf
d = tf.compat.v1.distribute
print(d.has_strategy(), d.in_cross_replica_context(), d.get_strategy().num_replicas_in_sync)
strategy = d.MirroredStrategy(["/cpu:0"])
with strategy.scope():
    weight = tf.Variable(2.0)
    print(d.has_strategy(), d.in_cross_replica_context(), strategy.num_replicas_in_sync)


def step(x):
    return weight * x / tf.cast(d.get_replica_context().num_replicas_in_sync, tf.float32)


@tf.function
def total(x):
    return strategy.reduce(d.ReduceOp.SUM, strategy.run(step, (x,)), axis=None)


print(float(total(tf.constant(3.0))))
with d.OneDeviceStrategy("/cpu:0").scope():
    print(d.has_strategy())
print(d.ReduceOp.MEAN)


class Pair(tf.compat.v1.experimental.ExtensionType):
    first: tf.Tensor
    second: tf.Tensor


print(Pair(1.0, [2.0]).second)
print(tf.compat.v1.experimental.Optional is tf.experimental.Optional)
print(tf.compat.v1.experimental.extension_type.as_dict(Pair(1.0, 2.0))["first"].numpy())
print(tf.compat.v1.initializers.global_variables is tf.compat.v1.global_variables_initializer)
print(tf.compat.v1.initializers.tables_initializer is tf.compat.v1.tables_initializer)
