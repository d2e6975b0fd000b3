import warnings

import numpy as np
import tensorflow as tf

warnings.simplefilter("ignore")
layers = tf.keras.layers
model = tf.keras.Sequential()
model.add(layers.Dense(3, input_shape=[4]))
model.add(layers.Dense(2, input_dim=3))
images = tf.keras.Sequential([layers.Conv2D(2, 3, input_shape=(5, 5, 1)), layers.Flatten(), layers.Dense(1)])
words = tf.keras.Sequential([layers.LSTM(2, input_shape=(3, 2)), layers.Dropout(0.5, input_shape=(2,))])
for one in (model, images, words):
    for layer in one.layers:
        print(layer.name, [key for key in layer.get_config() if key.startswith("input_")])
    again = tf.keras.models.model_from_json(one.to_json())
    print(again.input_shape, again.output_shape, again.to_json() == one.to_json())
    print(tf.keras.Sequential.from_config(one.get_config()).output_shape)
    print(tf.keras.models.clone_model(one).output_shape)
    again.set_weights(one.get_weights())
    x = np.ones((2, *one.input_shape[1:]), np.float32)
    print(np.array_equal(again(x), one(x)))
