import numpy as np
import tensorflow as tf

layers = tf.keras.layers
pictures = (128 + 100 * np.cos(np.arange(2 * 20 * 18 * 3) * 0.37)).reshape(2, 20, 18, 3).astype("float32")
for options in ({}, {"tile_grid_size": (2, 3)}, {"clip_limit": 0, "tile_grid_size": (3, 2)}):
    layer = layers.ContrastLimitedAdaptiveHistogramEqualization(**options)
    found = layer(pictures).numpy()
    print(found.shape, found.dtype, np.round(found[0, 5, 3:6], 2).tolist(), round(float(found.mean()), 3))
layer = layers.ContrastLimitedAdaptiveHistogramEqualization((0, 1), tile_grid_size=(2, 2))
print(np.round(layer(pictures[0] / 255).numpy()[3, 4], 4).tolist())
whole = layers.ContrastLimitedAdaptiveHistogramEqualization(tile_grid_size=(2, 2))
found = whole(pictures.astype("uint8")).numpy()
print(found.dtype, found[0, 1, :3].tolist())
print([k for k in sorted(layer.get_config()) if k not in ("name", "dtype", "trainable")])
data = tf.data.Dataset.from_tensor_slices(pictures.astype("uint8")).batch(2).map(whole)
for one in data:
    print(one.dtype, one.shape, np.round(one.numpy()[1, 2, 2], 2).tolist())
