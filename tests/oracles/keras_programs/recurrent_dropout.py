import numpy as np
import tensorflow as tf


def different(layer, state):
    """The different results of a layer whose units go their ways alone, whichever of them were dropped."""
    x = tf.ones((128, 3, 1))
    layer(x)
    kernel, recurrent = (w.shape for w in layer.get_weights()[:2])
    units, width = recurrent
    gates = np.concatenate([np.eye(units) * (0.3 + 0.1 * i) for i in range(width // units)], axis=1)
    rates = np.repeat(0.2 + 0.1 * np.arange(width // units), units).reshape(kernel)
    layer.set_weights([rates, gates, *layer.get_weights()[2:]])
    for training in (False, True):
        found = np.asarray(layer(x, initial_state=state, training=training))
        print(np.unique(np.round(found.astype(np.float64), 4)).tolist())
    mask = tf.constant([[True, False, True]] * 128)
    masked = np.asarray(layer(x, initial_state=state, training=True, mask=mask))
    print(np.unique(np.round(masked.astype(np.float64), 4)).tolist())


ones = tf.ones((128, 16))
different(tf.keras.layers.SimpleRNN(16, recurrent_dropout=0.5), [ones])
different(tf.keras.layers.SimpleRNN(16, dropout=0.25, recurrent_dropout=0.5), [ones])
different(tf.keras.layers.GRU(16, recurrent_dropout=0.5), [ones])
different(tf.keras.layers.GRU(16, recurrent_dropout=0.5, reset_after=False), [ones])
different(tf.keras.layers.GRU(16, dropout=0.5, recurrent_dropout=0.25), [ones])
different(tf.keras.layers.LSTM(16, recurrent_dropout=0.5), [ones, ones / 2])
different(tf.keras.layers.LSTM(16, recurrent_dropout=0.5, go_backwards=True), [ones, ones / 2])
both = tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(4, recurrent_dropout=0.5))
print(both.forward_layer.recurrent_dropout, both.backward_layer.recurrent_dropout)
print(both(tf.ones((2, 3, 1)), training=True).shape)
