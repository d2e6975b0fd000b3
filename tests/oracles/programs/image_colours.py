import numpy as np
import tensorflow as tf

pixels = np.arange(24, dtype=np.float32).reshape(2, 2, 2, 3) / 24.0
whole = (pixels * 255).astype(np.uint8)


def shown(name, image):
    print(name, image.dtype.name, np.round(image.numpy().astype(np.float64), 4).tolist())


for kind, image in (("float32", pixels), ("uint8", whole), ("float64", pixels.astype(np.float64))):
    shown(f"brightness {kind}", tf.image.adjust_brightness(image, 0.3))
    shown(f"contrast {kind}", tf.image.adjust_contrast(image, 1.5))
    shown(f"gamma {kind}", tf.image.adjust_gamma(image, 2.0, 0.5))
    shown(f"hue {kind}", tf.image.adjust_hue(image, 0.3))
    shown(f"hue back {kind}", tf.image.adjust_hue(image, -0.7))
    shown(f"saturation {kind}", tf.image.adjust_saturation(image, 2.0))
    shown(f"less saturation {kind}", tf.image.adjust_saturation(image, 0.25))
shown("contrast by a tensor", tf.image.adjust_contrast(pixels, tf.constant(0.25)))
colours = [[0.9, 0.1, 0.4], [0.2, 0.8, 0.8], [0.3, 0.3, 0.3], [0.0, 0.0, 0.0], [0.1, 0.2, 0.9]]
hsv = tf.image.rgb_to_hsv(colours)
shown("hsv", hsv)
shown("rgb", tf.image.hsv_to_rgb(hsv))
for name, function in {
    "gamma": lambda: tf.image.adjust_gamma(pixels, -1.0),
    "hue": lambda: tf.image.random_hue(pixels, 0.6),
    "contrast": lambda: tf.image.random_contrast(pixels, 0.5, 0.2),
    "saturation": lambda: tf.image.random_saturation(pixels, -0.5, 0.2),
}.items():
    try:
        function()
    except ValueError as error:
        print(name, str(error).splitlines()[0])
for name, function in {
    "hue": lambda seed: tf.image.random_hue(pixels, 0.4, seed=seed),
    "contrast": lambda seed: tf.image.random_contrast(pixels, 0.2, 0.9, seed=seed),
    "saturation": lambda seed: tf.image.random_saturation(pixels, 0.2, 0.9, seed=seed),
}.items():
    found = []
    for seed in (3, 3, 4):
        tf.random.set_seed(5)
        found.append(function(seed).numpy())
    print(name, (found[0] == found[1]).all(), (found[0] == found[2]).all())
