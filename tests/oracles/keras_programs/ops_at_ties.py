import numpy as np
import tensorflow as tf

ops = tf.keras.ops


def slopes(function, *given):
    variables = [tf.Variable(one) for one in given]
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(function(*variables))
    found = tape.gradient(loss, variables)
    return [None if one is None else (np.round(tf.convert_to_tensor(one).numpy(), 4) + 0.0).tolist() for one in found]


a, b = [1.0, 2.0, 3.0], [1.0, 3.0, 3.0]
for name in ("maximum", "minimum", "fmax", "fmin", "logaddexp", "hypot"):
    print(name, slopes(getattr(ops, name), a, b))
for name in ("max", "min", "amax", "amin", "ptp", "median", "nanmax", "nanmin", "logsumexp", "prod"):
    print(name, slopes(getattr(ops, name), [1.0, 3.0, 3.0, 0.0]))
edges = [0.0, -1.0, 1.0, 6.0, 0.5, -0.5, 3.0, -3.0]
for name in (
    "abs", "sign", "relu", "relu6", "elu", "hard_sigmoid", "hard_tanh", "leaky_relu", "hard_shrink", "soft_shrink", "celu",
    "softsign", "fabs", "hard_silu", "sparse_plus", "sparse_sigmoid",
):
    print(name, slopes(getattr(ops, name), edges))
print(slopes(lambda x: ops.clip(x, 0.0, 1.0), [0.0, 1.0, 0.5, 2.0]), slopes(lambda x: ops.threshold(x, 0.0, 0.0), [0.0, 1.0, -1.0]))
print(slopes(lambda x: ops.sort(x), [1.0, 1.0, 0.0]), slopes(lambda x: ops.top_k(x, 2)[0], [1.0, 1.0, 1.0]))
print(slopes(ops.normalize, [[0.0, 0.0], [3.0, 4.0]]), slopes(lambda x, y: ops.divide_no_nan(x, y), [1.0, 2.0], [0.0, 2.0]))
print(slopes(ops.std, [1.0, 1.0]), slopes(ops.norm, [0.0, 0.0]), ops.normalize([[1e-9, 0.0]]).numpy().tolist())
