import tensorflow as tf

strategies = tf.distribute
experimental = strategies.experimental
strategy = strategies.MirroredStrategy()
print(type(strategies.get_strategy()).__name__, strategy.num_replicas_in_sync)


def value(context):
    print(context.replica_id_in_sync_group, context.num_replicas_in_sync)
    return tf.constant(context.replica_id_in_sync_group + 5)


values = strategy.experimental_distribute_values_from_function(value)
print(values)
print(strategy.experimental_distribute_values_from_function(lambda context: 3.0))


@tf.function
def added():
    first = strategy.run(lambda x: x + 1, args=(values,))
    return first, strategy.run(lambda x: x + 1, kwargs={"x": values})


@tf.function
def inside():
    return strategy.run(between)


def between():
    return tf.constant(strategies.in_cross_replica_context())


print(added())
print(strategies.MirroredStrategy(devices=["/gpu:0", "/gpu:1"]).num_replicas_in_sync)
for ops in (
    strategies.HierarchicalCopyAllReduce(),
    strategies.NcclAllReduce(num_packs=2),
    strategies.ReductionToOneDevice(),
):
    made = strategies.MirroredStrategy(cross_device_ops=ops)
    print(type(ops).__name__, isinstance(ops, strategies.CrossDeviceOps), made.num_replicas_in_sync)
for kind in strategies.HierarchicalCopyAllReduce, strategies.NcclAllReduce:
    try:
        kind(-1)
    except ValueError as error:
        print(error)
central = experimental.CentralStorageStrategy()
print(type(central).__name__, central.num_replicas_in_sync)
options = experimental.CommunicationOptions(implementation=experimental.CommunicationImplementation.NCCL)
print(
    options.bytes_per_pack,
    options.timeout_seconds,
    options.implementation,
    experimental.CommunicationOptions(),
)
try:
    experimental.CommunicationOptions(bytes_per_pack=-1)
except ValueError as error:
    print(error)
print(experimental.CollectiveCommunication.AUTO, experimental.CollectiveCommunication("RING"))
print(strategies.OneDeviceStrategy("/cpu:0").num_replicas_in_sync)
print(strategies.ReduceOp.SUM, strategies.ReduceOp("MEAN"))
numbers = tf.constant([1.0, 2.0])
print(strategy.reduce("SUM", numbers, axis=None), strategy.reduce(strategies.ReduceOp.MEAN, numbers, axis=0))
print(strategies.in_cross_replica_context())
with strategy.scope():
    print(strategies.in_cross_replica_context())
    print(inside().numpy())
print(type(numbers), type(tf.Variable(1.0)), type(tf.constant("a")))
