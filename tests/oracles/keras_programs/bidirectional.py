import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


x = tf.reshape(tf.sin(tf.range(24, dtype=tf.float32)), (2, 4, 3))
kinds = tf.keras.layers
for merge in ("concat", "sum", "mul", "ave", None):
    layer = kinds.Bidirectional(kinds.GRU(2, return_sequences=merge != "sum"), merge_mode=merge)
    layer(x)
    fill(layer)
    result = layer(x)
    for one in result if isinstance(result, (list, tuple)) else [result]:
        show(one)
layer = kinds.Bidirectional(kinds.LSTM(2, return_state=True, name="memory"), name="both")
layer(x)
fill(layer)
print([v.path for v in layer.weights])
output, *states = layer(x)
show(output)
print(len(states))
show(states[3])
show(layer(x, initial_state=[tf.ones((2, 2)) * n for n in (1.0, 0.5, 0.25, 0.125)])[0])
own = kinds.Bidirectional(kinds.SimpleRNN(2), backward_layer=kinds.SimpleRNN(3, go_backwards=True))
own(x)
fill(own)
show(own(x))
print(own.forward_layer.name, own.backward_layer.name, len(own.trainable_variables))
model = tf.keras.Sequential([tf.keras.Input((4, 3)), kinds.Bidirectional(kinds.LSTM(2)), kinds.Dense(1)])
print(model.output_shape, [v.path for v in model.weights][:1])
