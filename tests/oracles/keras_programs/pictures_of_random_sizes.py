import numpy as np
import tensorflow as tf

layers = tf.keras.layers
pictures = (128 + 100 * np.cos(np.arange(2 * 20 * 18 * 3) * 0.37)).reshape(2, 20, 18, 3).astype("float32")
tf.keras.utils.set_random_seed(2)
height = layers.RandomHeight(0.3, seed=3)
width = layers.RandomWidth((-0.2, 0.4), seed=4)
print(height(pictures).shape, width(pictures).shape, height(pictures, training=False).shape)
print(np.round(height(pictures).numpy()[0, 2, 2], 2).tolist())
print(height.get_config()["factor"], width.get_config()["interpolation"])
try:
    layers.RandomHeight((0.5, 0.1))
except ValueError as error:
    print(str(error).splitlines()[0])
