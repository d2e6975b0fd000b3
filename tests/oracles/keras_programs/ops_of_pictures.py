import numpy as np
import tensorflow as tf

ops = tf.keras.ops
image = tf.keras.ops.image
x = (np.arange(2 * 5 * 6 * 3, dtype="float32").reshape(2, 5, 6, 3) * 7 % 23) / 23
first = np.moveaxis(x, -1, 1)


def shown(value):
    array = ops.convert_to_numpy(value)
    numbers = array.astype("float64")
    weights = np.cos(np.arange(numbers.size)).reshape(numbers.shape)
    return array.dtype.name, array.shape, round(float((numbers * weights).sum()), 3), round(float(numbers.sum()), 2)


print(image.resize is not None, image.rgb_to_hsv is not None)
for given, layout in ((x, "channels_last"), (x[0], None), (first, "channels_first"), (first[1], "channels_first")):
    words = {"data_format": layout}
    print(shown(image.rgb_to_grayscale(given, **words)), shown(image.rgb_to_hsv(given, **words)))
    print(shown(image.hsv_to_rgb(given, **words)), shown(image.gaussian_blur(given, (3, 5), (1.0, 2.0), **words)))
    print(shown(image.resize(given, (4, 8), **words)), shown(image.resize(given, (4, 8), "nearest", **words)))
    print(shown(image.resize(given, (3, 3), "bicubic", antialias=True, **words)))
    print(shown(image.resize(given, (4, 8), crop_to_aspect_ratio=True, **words)))
    print(shown(image.resize(given, (3, 9), pad_to_aspect_ratio=True, fill_value=0.5, **words)))
    print(shown(image.pad_images(given, 1, 2, None, None, 8, 10, **words)))
    print(shown(image.crop_images(given, 1, None, None, 2, 3, 2, **words)))
    if layout != "channels_first":
        print(shown(image.extract_patches(given, 2)), shown(image.extract_patches(given, (3, 2), 1, padding="same")))
    turn = np.array([0.9, 0.1, 0.3, -0.2, 1.1, 0.6, 0.01, 0.0], "float32")
    for fill in ("constant", "nearest", "wrap", "reflect"):
        print(fill, shown(image.affine_transform(given, turn, fill_mode=fill, fill_value=0.25, **words)))
    print(shown(image.affine_transform(given, turn, "nearest", **words)))
    corners = np.array([[0, 0], [0, 5], [4, 0], [4, 5]], "float32")
    print(shown(image.perspective_transform(given, corners, corners + [[0.5, 0], [0, -1], [1, 0], [0, 0.5]], **words)))
    print(shown(image.ssim(given, given * 0.5, filter_size=3, **words)))
print(shown(image.sobel_edges(x)), shown(image.sobel_edges(first, data_format="channels_first")))
print(shown(image.affine_transform(x, np.array([[1, 0, 1, 0, 1, 0, 0, 0], [1, 0, 0, 0, 1, -1, 0, 0]], "float32"))))
volume = np.arange(2 * 4 * 4 * 4 * 2, dtype="float32").reshape(2, 4, 4, 4, 2) % 11
print(shown(image.extract_patches_3d(volume, 2)), shown(image.extract_patches(volume, (2, 2, 1), strides=(1, 1, 1))))
print(shown(image.extract_patches_3d(volume[0], (2, 1, 2), padding="same")))
flat = x[0, :, :, 0]
places = np.array([[[0.2, 1.7, -0.6], [3.9, 4.4, 5.2]], [[0.0, 2.5, 1.5], [5.4, -1.2, 0.7]]], "float32")
for order in (0, 1):
    for fill in ("constant", "nearest", "wrap", "reflect"):
        print(order, fill, shown(image.map_coordinates(flat, places, order, fill, 0.3)))
print(shown(image.map_coordinates((flat * 23).astype("int32"), places, 1)))
for method in ("linear", "bicubic", "lanczos3", "lanczos5"):
    scale, move = np.array([1.5, 0.7], "float32"), np.array([0.25, -0.5], "float32")
    print(method, shown(image.scale_and_translate(flat, (8, 4), scale, move, (0, 1), method)))
print(shown(image.scale_and_translate(flat, (8, 4), scale, move, (0, 1), "cubic", antialias=False)))
print(shown(image.elastic_transform(x, alpha=3.0, sigma=1.0, seed=3)))
weight = tf.Variable(x)
with tf.GradientTape() as tape:
    made = image.gaussian_blur(weight) ** 2
    loss = ops.sum(made) + ops.sum(image.map_coordinates(weight[0, :, :, 0], places, 1) ** 2)
    loss += ops.sum(image.extract_patches(weight, 3) ** 3) + ops.sum(image.ssim(weight, x * 0.5, filter_size=3))
print(shown(tape.gradient(loss, weight)))
given = tf.keras.Input((5, 6, 3))
model = tf.keras.Model(given, image.resize(image.rgb_to_grayscale(given), (4, 4)))
print(model.output_shape, shown(model(x)))
for text in (
    "image.resize(x, (4, 4), 'linear')", "image.resize(x[0, 0], (4, 4))", "image.resize(x, (4,))",
    "image.pad_images(x, 1, 1, 1, 1, 9)", "image.pad_images(x, -1, 1, 1, 1)", "image.crop_images(x, 1, 1)",
    "image.affine_transform(x, np.ones(8), fill_mode='mirror')", "image.map_coordinates(flat, places[:1], 1)",
    "image.map_coordinates(flat, places, 2)", "image.extract_patches(x, (1, 2, 3, 4))", "image.extract_patches(x, '2')",
    "image.rgb_to_hsv((x * 9).astype('int32'))", "image.rgb_to_grayscale(x[..., :2])",
):
    try:
        eval(text)
    except (ValueError, TypeError, NotImplementedError) as problem:
        print(isinstance(problem, TypeError), str(problem).partition("\n")[0].partition(" Received")[0].partition(" Expected of")[0])
