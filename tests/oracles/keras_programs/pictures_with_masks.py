import os
import tempfile

import numpy as np
import tensorflow as tf

keras, L = tf.keras, tf.keras.layers
draws = np.random.RandomState(0)
pictures = (draws.rand(2, 5, 6, 3) * 255).astype("float32")
masks = draws.randint(0, 4, (2, 5, 6, 1)).astype("uint8")


def given():
    return {
        "images": tf.constant(pictures),
        "labels": tf.constant([[1.0, 0.0], [0.0, 1.0]]),
        "segmentation_masks": tf.constant(masks),
    }


for layer in (
    L.RandomFlip(seed=5),
    L.RandomRotation(0.2, seed=5),
    L.RandomTranslation(0.2, 0.1, fill_mode="constant", seed=5),
    L.RandomPerspective(seed=5),
    L.CenterCrop(3, 3),
    L.Resizing(4, 4),
    L.RandomContrast(0.2, seed=5),
):
    made = layer(given(), training=True)
    print(layer.name, made["segmentation_masks"].dtype.name, made["segmentation_masks"].numpy().ravel().tolist())
    print(made["images"].shape, np.round(made["labels"].numpy(), 4).tolist())
keras.mixed_precision.set_global_policy("mixed_float16")
for layer in (L.RandomFlip(seed=1), L.RandomRotation(0.1, seed=1), L.RandomContrast(0.2, seed=1), L.RandomErasing(seed=1)):
    print(layer(tf.constant(pictures / 255), training=True).dtype.name)
keras.mixed_precision.set_global_policy("float32")
bins = L.Discretization(num_bins=3)
bins.adapt(np.array([0.0, 1.0, 2.0, 3.0, 9.0, 10.0]))
path = os.path.join(tempfile.mkdtemp(), "model.keras")
keras.Sequential([keras.Input((1,)), bins]).save(path)
print(keras.models.load_model(path)(tf.constant([[0.5], [5.0], [11.0]])).numpy().tolist())
words = keras.Input((1,), dtype="string")
model = keras.Model(words, L.StringLookup(vocabulary=["a", "b"])(words))
print(model.predict(tf.convert_to_tensor(["b", "z"])[:, None], verbose=0).tolist())
boxes = {"boxes": tf.constant(draws.rand(2, 3, 4).astype("float32")), "labels": tf.constant([[1, 2, 3], [4, 5, 6]])}
for number in (2, 4):
    layer = L.MaxNumBoundingBoxes(number, bounding_box_format="xyxy", fill_value=-1)
    made = layer({"images": tf.constant(pictures), "bounding_boxes": dict(boxes)})["bounding_boxes"]
    print(np.round(made["boxes"].numpy().astype("float64"), 4).tolist(), made["labels"].numpy().tolist())
