import numpy as np
import tensorflow as tf

image = tf.keras.preprocessing.image
x = (np.arange(6 * 5 * 3, dtype="float32").reshape(6, 5, 3) * 7 % 23) * 10
last = {"row_axis": 0, "col_axis": 1, "channel_axis": 2}


def shown(value):
    numbers = np.asarray(value).astype("float64")
    weights = np.cos(np.arange(numbers.size)).reshape(numbers.shape)
    return numbers.shape, round(float((numbers * weights).sum()), 2), round(float(numbers.sum()), 1)


print(shown(image.apply_channel_shift(x, 30.0, 2)), shown(image.apply_channel_shift(x, -30.0)))
np.random.seed(4)
print(shown(image.random_channel_shift(x, 50.0, 2)))
for size in ((4, 4), (3, 9), (9, 3)):
    print(shown(image.smart_resize(x, size)), shown(image.smart_resize(x[None], size, "nearest")))
print(type(image.smart_resize(x, (4, 4))).__name__, image.smart_resize(tf.constant(x), (4, 4)).shape)
print(shown(image.smart_resize(np.moveaxis(x, -1, 0), (4, 4), data_format="channels_first")))
for function in (
    lambda: image.apply_affine_transform(x, theta=3, row_axis=1, col_axis=1), lambda: image.apply_affine_transform(x[0], theta=3, **last),
    lambda: image.random_zoom(x, (1.0,), **last), lambda: image.random_brightness(x, (1.0,)), lambda: image.smart_resize(x, (3,)),
    lambda: image.smart_resize(x[0], (3, 3)), lambda: image.apply_affine_transform(x, theta=3, row_axis=0, col_axis=2, channel_axis=1),
):
    try:
        function()
    except (ValueError, ImportError) as problem:
        print(str(problem).partition("\n")[0])
print(np.array_equal(image.random_zoom(x, (1.0, 1.0), **last), x), np.array_equal(image.apply_affine_transform(x, **last), x))
