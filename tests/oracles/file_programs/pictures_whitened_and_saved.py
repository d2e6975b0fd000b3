"""Batches of pictures with another brightness, whitened, and written to a folder."""

import os
import tempfile

import numpy as np
import tensorflow as tf

Generator = tf.keras.preprocessing.image.ImageDataGenerator
pictures = np.random.default_rng(0).integers(0, 256, (6, 8, 8, 3)).astype("float32")
made = Generator(brightness_range=(0.5, 1.5), horizontal_flip=True)
batches = made.flow(pictures, np.arange(6), batch_size=4, seed=3)
for _ in range(2):
    images, labels = next(batches)
    print(np.round(images.sum((1, 2, 3)), 1).tolist(), labels.tolist())
print(made.get_random_transform((8, 8, 3), seed=4)["brightness"])
print(made.row_axis, made.col_axis, made.channel_axis)
made = Generator(zca_whitening=True, zca_epsilon=1e-3)
made.fit(pictures)
print(made.zca_whitening_matrix.shape, float(np.round(np.abs(made.zca_whitening_matrix).sum(), 1)))
print(np.round(np.abs(next(made.flow(pictures, batch_size=6, shuffle=False))).sum((1, 2, 3)), 1).tolist())
folder = tempfile.mkdtemp()
np.random.seed(2)
next(Generator().flow(pictures, batch_size=2, shuffle=False, save_to_dir=folder, save_prefix="a"))
print(sorted(os.listdir(folder)))
try:
    Generator(brightness_range=0.5)
except ValueError as problem:
    print(str(problem).splitlines()[0])
