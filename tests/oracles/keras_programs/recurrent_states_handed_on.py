import numpy as np
import tensorflow as tf
from tensorflow.keras import layers
tf.keras.utils.set_random_seed(1)
x = np.cos(np.arange(2 * 3 * 2)).reshape(2, 3, 2).astype("float32")
lstm = layers.LSTM(2, stateful=True)
lstm(x)
print(len(lstm.states), [tuple(s.shape) for s in lstm.states])
out = lstm(x)
print(np.round(layers.LSTM(2)(x, initial_state=lstm.states).numpy(), 5).tolist())
gru = layers.GRU(2, stateful=True)
gru(x)
print(len(gru.states), np.round(gru.states[0].numpy(), 5).tolist())
print(np.round(layers.GRU(2)(x, initial_state=gru.states).numpy(), 5).tolist())
plain = layers.LSTM(2)
plain(x)
print(plain.states, layers.LSTM(2).states, layers.LSTM(2, stateful=True).states)
lstm.reset_state()
print([float(tf.reduce_sum(tf.abs(one))) for one in lstm.states])
