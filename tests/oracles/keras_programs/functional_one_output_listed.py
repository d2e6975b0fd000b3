import os
import tempfile

import numpy as np
import tensorflow as tf


def kind(x):
    if isinstance(x, dict):
        return {k: kind(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)) and not all(isinstance(v, (int, type(None))) for v in x):
        return type(x)(kind(v) for v in x)
    return x if isinstance(x, tuple) else type(x).__name__


i, j = tf.keras.Input((3,), name="b"), tf.keras.Input((2,), name="a")
o, p = tf.keras.layers.Dense(2, name="o")(i), tf.keras.layers.Dense(4, name="p")(i)
x = np.ones((4, 3), "float32")
for outs in (
    o, [o], (o,), {"b": o}, [[o]], [o, p], (o, p), {"b": o, "a": p}, [o, [p]], {"b": [o]}, [{"b": o}], ([o],)
):  # fmt: skip
    m = tf.keras.Model(i, outs)
    print(kind(outs), kind(m.output), kind(m.outputs), m.output_shape, kind(m.compute_output_shape((4, 3))))
    print(kind(m(x)), kind(m(i)))
    if type(outs) in (list, tuple) and len(outs) == 1 and outs[0] is o:
        print(kind(m.predict(x, verbose=0)))
for ins in (i, [i], (i,), {"b": i}, [i, j], (i, j), {"b": i, "a": j}):
    m = tf.keras.Model(ins, o)
    print(kind(ins), kind(m.input), kind(m.inputs), m.input_shape)

y = x.sum(1, keepdims=True)
for loss, metrics in (("mse", ["mae"]), (["mse"], [["mae"]]), ({"head": "mse"}, {"head": ["mae"]})):
    tf.keras.utils.set_random_seed(1)
    a = tf.keras.Input((3,), name="a")
    inner = tf.keras.Model([a], [tf.keras.layers.Dense(3, activation="tanh")(a)])
    hidden = inner([a])
    hidden = hidden[0] if isinstance(hidden, list) else hidden
    m = tf.keras.Model(inputs=[a], outputs=[tf.keras.layers.Dense(1, name="head")(hidden)])
    m.compile("sgd", loss, metrics=metrics)
    h = m.fit([x], [y], epochs=2, batch_size=2, verbose=0, shuffle=False)
    print({k: [round(one, 4) for one in v] for k, v in h.history.items()})
    path = os.path.join(tempfile.mkdtemp(), "m.keras")
    m.save(path)
    again = tf.keras.models.load_model(path)
    print(type(again([x])).__name__, np.allclose(again([x]).numpy(), m([x]).numpy()), m.get_layer("head").output.shape, len(m.layers))
