import os
import tempfile

import numpy as np
import tensorflow as tf

image = tf.keras.preprocessing.image
pictures = (np.arange(6 * 5 * 7 * 3) % 256).reshape(6, 5, 7, 3).astype("float32")
labels = np.array([0, 1, 0, 1, 0, 1])


def show(batch):
    for one in batch if isinstance(batch, tuple) else (batch,):
        print(one.shape, one.dtype, round(float(np.sum(one)), 2), np.round(one.ravel()[:4].astype("float64"), 3).tolist())


every = (
    {"rescale": 1 / 255},
    {"horizontal_flip": True, "vertical_flip": True},
    {"rotation_range": 30},
    {"width_shift_range": 0.2, "height_shift_range": 0.2, "fill_mode": "constant", "cval": 3.0},
    {"width_shift_range": 2, "height_shift_range": [1, 2]},
    {"zoom_range": 0.3, "shear_range": 10.0, "fill_mode": "reflect"},
    {"zoom_range": [0.5, 1.0], "interpolation_order": 0},
    {"samplewise_center": True, "samplewise_std_normalization": True},
    {"channel_shift_range": 20.0},
    {"preprocessing_function": lambda x: x + 1},
)
for options in every:
    made = image.ImageDataGenerator(**options)
    rows = made.flow(pictures, labels, batch_size=4, seed=7)
    print(len(rows))
    show(next(rows))
    show(next(rows))
    show(rows[0])
made = image.ImageDataGenerator(featurewise_center=True, featurewise_std_normalization=True, validation_split=1 / 3)
made.fit(pictures)
print(np.round(made.mean.ravel(), 3).tolist(), np.round(made.std.ravel(), 3).tolist())
for subset in ("training", "validation"):
    show(next(made.flow(pictures, labels, batch_size=3, shuffle=False, subset=subset)))
show(next(made.flow(pictures, shuffle=False)))

folder = tempfile.mkdtemp()
for name, count in (("cats", 4), ("dogs", 3)):
    os.makedirs(os.path.join(folder, name))
    for number in range(count):
        tf.keras.utils.save_img(os.path.join(folder, name, f"{number}.png"), np.roll(pictures[number], number), scale=False)
picture = tf.keras.utils.load_img(os.path.join(folder, "cats", "1.png"))
print(picture.size, picture.mode)
show(tf.keras.utils.img_to_array(picture))
for options in ({"color_mode": "grayscale"}, {"target_size": (4, 3)}, {"target_size": (10, 4), "keep_aspect_ratio": True},
                {"target_size": (4, 3), "interpolation": "bilinear", "color_mode": "rgba"}):
    show(tf.keras.utils.img_to_array(tf.keras.utils.load_img(os.path.join(folder, "cats", "1.png"), **options)))
show(tf.keras.utils.img_to_array(tf.keras.utils.array_to_img(pictures[0] - 100)))
made = image.ImageDataGenerator(rescale=1 / 255, validation_split=0.25)
for options in ({"shuffle": False}, {"seed": 3, "batch_size": 3, "class_mode": "binary"}, {"class_mode": "sparse", "subset": "training", "seed": 1}):
    rows = made.flow_from_directory(folder, target_size=(4, 6), **options)
    print(rows.class_indices, rows.samples, [name.replace(os.sep, "/") for name in rows.filenames])
    show(next(rows))
for options in (
    {"shuffle": False}, {"shuffle": False, "label_mode": "categorical", "color_mode": "grayscale"},
    {"shuffle": False, "label_mode": "binary", "crop_to_aspect_ratio": True},
    {"shuffle": False, "labels": None, "interpolation": "nearest"},
    {"seed": 3, "validation_split": 0.3, "subset": "validation", "batch_size": 2},
    {"shuffle": False, "labels": [6, 5, 4, 3, 2, 1, 0], "pad_to_aspect_ratio": True},
):
    rows = tf.keras.utils.image_dataset_from_directory(folder, image_size=(4, 4), **options)
    print(rows.class_names, [os.path.basename(one) for one in rows.file_paths] if "seed" not in options else "")
    for batch in rows:
        batch = batch if isinstance(batch, tuple) else (batch,)
        if "seed" not in options:
            show(tuple(one.numpy() for one in batch))
        else:
            print([one.shape for one in batch])
tf.keras.utils.load_img(os.path.join(folder, "cats", "1.png"), color_mode="green")
