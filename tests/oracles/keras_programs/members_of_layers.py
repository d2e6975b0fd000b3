import numpy as np
import tensorflow as tf
from tensorflow import keras
L = keras.layers

def tell(name, make):
    try:
        print(name, "->", make())
    except Exception:
        print(name, "refused")
for kind in (L.LSTM, L.GRU, L.SimpleRNN):
    layer = kind(3, kernel_initializer="ones", recurrent_regularizer="l2", return_state=True, use_bias=False)
    for word in ("use_bias", "unroll", "zero_output_for_mask", "single_state", "state_size", "bias_regularizer", "kernel_constraint", "units", "dropout", "go_backwards", "stateful", "return_state"):
        tell(f"{kind.__name__}.{word}", lambda: getattr(layer, word))
    for word in ("kernel_initializer", "recurrent_initializer", "bias_initializer", "recurrent_regularizer"):
        tell(f"{kind.__name__}.{word}", lambda: type(getattr(layer, word)).__name__)
    tell("initial", lambda: [one.shape for one in layer.get_initial_state(2)])
print(L.LSTM(2).unit_forget_bias)
dense = L.Dense(2)
dense(tf.zeros([1, 3]))
for word in ("input_dtype", "supports_jit", "quantization_mode", "metrics_variables"):
    tell(word, lambda: getattr(dense, word))
tell("half", lambda: L.Dense(2, dtype="mixed_float16").input_dtype)
tell("build config", lambda: dense.get_build_config())
tell("unbuilt", lambda: L.Dense(2).get_build_config())
other = L.Dense(2)
other.build_from_config({"input_shape": (None, 3)})
tell("built", lambda: [v.shape for v in other.weights])
store = {}
dense.save_own_variables(store)
tell("store", lambda: {k: np.asarray(v).shape for k, v in store.items()})
other.load_own_variables(store)
tell("same", lambda: [bool((a == b).all()) for a, b in zip(dense.get_weights(), other.get_weights())])
tell("too few", lambda: other.load_own_variables({"0": store["0"]}))
tell("unbuilt load", lambda: L.Dense(2).load_own_variables(store))
class Counting(L.Layer):
    def __init__(self):
        super().__init__()
        self.mean = keras.metrics.Mean(name="seen")
    def call(self, x):
        self.mean.update_state(x)
        return x * 2
c = Counting()
c(tf.ones([2]))
tell("metrics", lambda: [v.shape for v in c.metrics_variables])
x = keras.Input((3,))
tell("spec", lambda: (dense.compute_output_spec(x).shape, dense.compute_output_spec(x).dtype))
tell("symbolic", lambda: dense.symbolic_call(x).shape)
tell("of a config", lambda: keras.metrics.AUC.from_config({"num_thresholds": 5, "name": "a"}).num_thresholds)
