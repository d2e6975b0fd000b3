import operator

import numpy as np
import tensorflow as tf


def show(name, compute):
    try:
        found = compute()
        print(name, found.dtype.name, np.asarray(found, dtype=np.float64).tolist())
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        print(name, "refused", isinstance(error, ValueError))


count = tf.constant([3, 4])
names = ("mul", "add", "sub", "truediv", "pow", "floordiv", "mod", "lt", "eq")
for dtype in ("float32", "float16", "int32"):
    v = tf.keras.Variable(np.array([2, 5], dtype), dtype=dtype)
    for name in names:
        apply = getattr(operator, name)
        if dtype != "int32":
            show(f"count {name} {dtype}", lambda: apply(count, v))
            show(f"{dtype} {name} count", lambda: apply(v, count))
        show(f"fraction {name} {dtype}", lambda: apply(tf.constant([3.5, 0.5]), v))
        show(f"{dtype} {name} fraction", lambda: apply(v, tf.constant([3.5, 0.5])))
    show(f"{dtype} * numpy", lambda: v * np.array([0.5, 1.5]))
    show(f"{dtype} * number", lambda: v * 1.5)
    show(f"number - {dtype}", lambda: 1.5 - v)
    show(f"double * {dtype}", lambda: tf.constant(1.5, tf.float64) * v)
    show(f"{dtype} * truth", lambda: v * tf.constant([True, False]))
matrix = tf.keras.Variable(np.ones((2, 2), "float32"))
show("v @ count", lambda: matrix @ tf.constant([[1, 2], [3, 4]]))
show("count @ v", lambda: tf.constant([[1, 2], [3, 4]]) @ matrix)
show("v + v", lambda: matrix + tf.keras.Variable(np.ones((2, 2), "int32"), dtype="int32"))
layer = tf.keras.layers.Dense(1, use_bias=False)
layer.build((None, 2))
layer.set_weights([np.array([[1.0], [2.0]])])
for step in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.constant([[2], [3]]) * layer.kernel * step)
    print(float(loss), tape.gradient(loss, layer.kernel).numpy().tolist())
