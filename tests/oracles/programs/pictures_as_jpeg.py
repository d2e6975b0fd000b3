"""JPEG has one library in most programs, and two transforms: the default is the fast one, whose pixels differ."""

import os
import tempfile
import zlib

import numpy as np
import tensorflow as tf


def told(name, pixels):
    pixels = np.asarray(pixels)
    print(name, pixels.dtype, pixels.shape, zlib.crc32(np.ascontiguousarray(pixels).tobytes()))


draw = np.random.default_rng(5)
coloured = tf.constant(draw.integers(0, 256, (37, 50, 3)).astype(np.uint8))
grey = tf.constant(draw.integers(0, 256, (9, 20, 1)).astype(np.uint8))
for name, picture in {"coloured": coloured, "grey": grey}.items():
    for quality in (20, 95):
        # The bytes are those of another encoder; the picture in them is the same.
        encoded = tf.io.encode_jpeg(picture, quality=quality)
        told(f"{name} {quality}", tf.io.decode_jpeg(encoded))
        told("one channel", tf.io.decode_jpeg(encoded, channels=1))
        told("three channels", tf.image.decode_jpeg(encoded, channels=3))
        told("accurate", tf.io.decode_jpeg(encoded, dct_method="INTEGER_ACCURATE"))
        told("fast", tf.io.decode_jpeg(encoded, dct_method="INTEGER_FAST"))
        told("plain", tf.io.decode_jpeg(encoded, fancy_upscaling=False))
        for ratio in (2, 4, 8):
            told(f"smaller by {ratio}", tf.io.decode_jpeg(encoded, ratio=ratio))
        told("an image", tf.io.decode_image(encoded))
        told("as numbers", tf.image.decode_image(encoded, dtype=tf.float32))
    told("quality", tf.image.adjust_jpeg_quality(picture, 30))
    told("quality of numbers", tf.image.adjust_jpeg_quality(tf.cast(picture, tf.float32) / 255, 60))

with tempfile.TemporaryDirectory() as folder:
    for number in range(4):
        path = os.path.join(folder, "ab"[number % 2], f"{number}.jpg")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        tf.io.write_file(path, tf.io.encode_jpeg(tf.roll(coloured, number, 0)))
    data = tf.keras.utils.image_dataset_from_directory(
        folder, image_size=(37, 50), batch_size=4, shuffle=False, verbose=False
    )
    for pictures, labels in data:
        told("of a folder", tf.cast(tf.round(pictures), tf.int32))
        print(labels.numpy())

read = tf.data.Dataset.from_tensors(tf.io.encode_jpeg(coloured)).map(
    lambda one: tf.io.decode_jpeg(one, channels=3)
)
told("of a data set", next(iter(read)))

for wrong in (
    lambda: tf.io.decode_jpeg(encoded, channels=4),
    lambda: tf.io.decode_jpeg(b"\xff\xd8\xff\xe0no picture"),
):
    try:
        wrong()
    except tf.errors.InvalidArgumentError as error:
        print(type(error).__name__)
