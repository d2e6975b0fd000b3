"""Twenty steps of LossScaleOptimizer, two of them not finite: scales, counters and variables."""

import tensorflow as tf
from tensorflow import keras

INNER = {
    "sgd": lambda: keras.optimizers.SGD(0.1, momentum=0.9),
    "adam": lambda: keras.optimizers.Adam(0.1),
    "accumulated": lambda: keras.optimizers.SGD(0.02, gradient_accumulation_steps=2),
}
for name, make in INNER.items():
    x, y = tf.Variable([1.0, -2.0], name="x"), tf.Variable(0.5, name="y")
    optimizer = keras.mixed_precision.LossScaleOptimizer(make(), initial_scale=1024.0, dynamic_growth_steps=4)
    print(name, optimizer.initial_scale, optimizer.dynamic_growth_steps)
    for step in range(20):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x * x) * y * y
            if step in (7, 11):
                loss = loss * float("inf" if step == 7 else "nan")
            scaled = optimizer.scale_loss(loss)
        optimizer.apply_gradients(zip(tape.gradient(scaled, [x, y]), [x, y]))
        print(
            step,
            optimizer.dynamic_scale.numpy(),
            optimizer.step_counter.numpy(),
            optimizer.iterations.numpy(),
            [round(float(n), 5) for n in x.numpy()],
            round(float(y.numpy()), 5),
        )
    if name != "accumulated":
        print([v.path.rpartition("/")[2] for v in optimizer.variables[:6]], len(optimizer.variables))
