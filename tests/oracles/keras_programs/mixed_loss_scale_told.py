"""What LossScaleOptimizer takes and gives, and what it leaves to the optimizer inside."""

import tensorflow as tf
from tensorflow import keras

optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.5), initial_scale=8.0)
print(float(optimizer.scale_loss(tf.constant(3.0))), optimizer.built)
x = tf.Variable(1.0)
optimizer.build([x])
print(optimizer.built, float(optimizer.learning_rate), optimizer.step_counter.numpy())
optimizer.learning_rate = 0.25
optimizer.apply_gradients([(tf.constant(8.0), x)])
print(x.numpy(), optimizer.dynamic_scale.path, optimizer.step_counter.path, optimizer.step_counter.dtype)
config = optimizer.get_config()
print(
    config["name"],
    config["initial_scale"],
    config["dynamic_growth_steps"],
    config["inner_optimizer"]["class_name"],
)
again = keras.optimizers.LossScaleOptimizer.from_config(config)
print(again.initial_scale, float(again.learning_rate))
for options in ({"clipnorm": 1.0}, {"dynamic": False}, {"colour": "red"}):
    try:
        keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.5), **options)
    except ValueError as error:
        print(str(error).splitlines()[0])
for name in ("mixed_float8", 16):
    try:
        keras.mixed_precision.Policy(name)
    except (TypeError, ValueError) as error:
        print(isinstance(error, ValueError), str(error).splitlines()[0])
try:
    keras.mixed_precision.set_global_policy(16)
except ValueError as error:
    print(str(error).splitlines()[0])
