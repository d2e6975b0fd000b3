import numpy as np
import tensorflow as tf

x = tf.Variable(np.arange(24.0).reshape(2, 3, 4).astype(np.float32))
for mask, axis in (
    ([True, False], None),
    ([True, False], 0),
    ([True, False, True], 1),
    ([False, True, True, False], 2),
    ([[True, False, False, True]] * 3, 1),
    ([[True, False, True], [False, False, True]], 0),
    ([False, False, False], 1),
):
    with tf.GradientTape() as tape:
        found = tf.boolean_mask(x, mask, axis=axis)
        loss = tf.reduce_sum(found * found)
    print(found.shape, found.numpy().ravel().tolist(), tf.convert_to_tensor(tape.gradient(loss, x)).numpy().sum())
try:
    tf.boolean_mask(x, [True, False], axis=1)
except ValueError as error:
    print(str(error).partition("\n")[0])
