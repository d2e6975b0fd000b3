import numpy as np
import tensorflow as tf

x, y = np.ones((8, 3), "float32"), np.ones((8, 1), "float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
model.compile("sgd", "mse", metrics=["mae"])
print(model.fit(x, y, verbose=0).history)
model.compile("adam")
print(model.fit(x, y, verbose=0).history, model.loss)
model.compile("sgd", "mae")
print(model.fit(x, y, verbose=0).history, model.loss)
model.compile("sgd", "mse", metrics=[])
print(model.fit(x, y, verbose=0).history, model.evaluate(x, y, verbose=0))
