import tensorflow as tf

config = tf.config
experimental = config.experimental
processor = config.list_physical_devices("CPU")[0]
print(processor, config.list_physical_devices("TPU"), config.get_visible_devices())
print(config.get_logical_device_configuration(processor))
config.set_logical_device_configuration(processor, [config.LogicalDeviceConfiguration()])
print(config.get_logical_device_configuration(processor))
print(config.list_logical_devices(), config.LogicalDevice("a", "CPU"))
print(config.LogicalDeviceConfiguration(memory_limit=1024))
print(experimental.VirtualDeviceConfiguration is config.LogicalDeviceConfiguration)
print(experimental.get_virtual_device_configuration(processor))
for device in ("x", "GPU:0"):
    try:
        print(config.get_logical_device_configuration(device))
    except ValueError as error:
        print(str(error).splitlines()[0])
print(config.get_soft_device_placement())
config.set_soft_device_placement(False)
print(config.get_soft_device_placement())
config.set_soft_device_placement(True)
print(repr(config.optimizer.get_jit()), sorted(config.optimizer.get_experimental_options().items()))
config.optimizer.set_experimental_options({"constant_folding": True})
print(sorted(config.optimizer.get_experimental_options().items()))
print(config.threading.get_inter_op_parallelism_threads(), config.threading.get_intra_op_parallelism_threads())
print(experimental.get_device_details(processor))
print(experimental.get_device_policy(), experimental.get_synchronous_execution())
print(experimental.tensor_float_32_execution_enabled())
experimental.enable_tensor_float_32_execution(False)
print(experimental.tensor_float_32_execution_enabled())
experimental.enable_tensor_float_32_execution(True)
tf.summary.trace_on(graph=True)
print(tf.summary.trace_export("model", step=0), tf.summary.trace_off())
with tf.summary.record_if(True):
    print("recorded")
