"""Arrays of objects that hold tensors, as memories of past steps do, and NumPy's functions on them."""

import numpy as np
import tensorflow as tf

steps = [[np.ones(2), tf.constant([[1.0, 2.0]]), 1.0], [np.zeros(2), tf.constant([[3.0, 4.0]]), 0.5]]
kept = np.array(steps, dtype=object)
states, actions, rewards = [np.vstack(column).astype(float) for column in kept.T]
print(kept.shape, states.tolist(), actions.tolist(), rewards.tolist())
print(np.concatenate(kept[:, 1]).tolist(), np.stack(list(kept[:, 1])).shape)
print(np.hstack(np.array([[tf.constant([1, 2]), 0], [tf.constant([3, 4]), 1]], dtype=object).T[0]).tolist())
