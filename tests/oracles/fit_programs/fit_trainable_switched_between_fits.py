import warnings

import numpy as np
import tensorflow as tf

keras = tf.keras
warnings.simplefilter("ignore")
x = np.sin(np.arange(80) * 1.7).reshape(20, 4).astype("float32")
y = (x[:, :1] * 0.5 - x[:, 1:2]).astype("float32")
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(5, "tanh"), keras.layers.Dense(1)])
model.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in model.get_weights()])
model.compile(keras.optimizers.SGD(0.1), "mse")
model.fit(x, y, shuffle=False, verbose=0)
for wanted in (False, True):
    before = [layer.get_weights()[0] for layer in model.layers]
    model.layers[0].trainable = wanted
    print(np.round(model.fit(x, y, shuffle=False, verbose=0).history["loss"], 4))
    print([bool((a == b.get_weights()[0]).all()) for a, b in zip(before, model.layers)])
model.layers[0].trainable = False
model.compile(keras.optimizers.SGD(0.1), "mse")
before = [layer.get_weights()[0] for layer in model.layers]
print(np.round(model.train_on_batch(x, y), 4))
print([bool((a == b.get_weights()[0]).all()) for a, b in zip(before, model.layers)])
model.layers[0].trainable = True
before = [layer.get_weights()[0] for layer in model.layers]
print(np.round(model.train_on_batch(x, y), 4))
print([bool((a == b.get_weights()[0]).all()) for a, b in zip(before, model.layers)])
