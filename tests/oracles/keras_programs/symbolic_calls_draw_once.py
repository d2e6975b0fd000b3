import random

import numpy as np
import tensorflow as tf


class InAnyOrder(tf.keras.layers.Layer):
    def call(self, pictures):
        print("called", random.randrange(1000), np.random.randint(1000))
        for change in random.sample([self.saturation, self.hue], 2):
            pictures = change(pictures)
        return pictures

    def saturation(self, pictures):
        return tf.clip_by_value(pictures + tf.image.rgb_to_grayscale(pictures), 0.0, 1.0)

    def hue(self, pictures):
        pictures = tf.image.rgb_to_hsv(pictures)
        bounds = tf.random.uniform((tf.shape(pictures)[0], 1, 1, 3), (-0.1, 0.0, 0.0), (0.1, 0.0, 0.0))
        return tf.image.hsv_to_rgb(tf.clip_by_value(pictures + bounds, 0.0, 1.0))


class MakesLayers(tf.keras.layers.Layer):
    def build(self, shape):
        self.inner = tf.keras.layers.Dense(2)

    def call(self, x):
        noise = tf.random.uniform((tf.shape(x)[0], 2), (0.0, 1.0), (0.0, 1.0))
        return self.inner(x) + noise * random.choice([1.0, 2.0])


tf.keras.utils.set_random_seed(5)
tf.keras.Sequential([tf.keras.layers.Input(shape=(8, 8, 3)), InAnyOrder()])
print(random.randrange(1000), np.random.randint(1000))
model = tf.keras.Sequential([tf.keras.layers.Input(shape=(3,)), MakesLayers(), tf.keras.layers.Dense(2)])
print(random.randrange(1000), [np.round(one, 4).tolist() for one in model.get_weights()[-2:]])
