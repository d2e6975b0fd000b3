import numpy as np
import tensorflow as tf

K = tf.keras.backend
x = tf.constant([[1.0, -2.0, 3.0], [0.5, 0.0, -1.0]])
print(K.expand_dims(x).shape, K.int_shape(x), K.ndim(x))
print(K.mean(x).numpy(), K.sum(x, axis=1).numpy().tolist(), K.max(x, axis=0, keepdims=True).numpy().tolist())
print(K.dot(x, tf.ones((3, 2))).numpy().tolist(), K.clip(x, -1, 1).numpy().tolist())
print(K.cast(x, "int32").numpy().tolist(), K.concatenate([x, x]).shape, K.flatten(x).shape)
print(K.square(x).numpy().tolist(), K.abs(x).numpy().tolist(), K.relu(x).numpy().tolist())
print(K.argmax(x).numpy().tolist(), K.permute_dimensions(x, (1, 0)).shape, K.tile(x, (2, 1)).shape)
print(np.round(K.softmax(x).numpy(), 4).tolist()[0][0] > 0.1, K.zeros((2,)).numpy().tolist())
