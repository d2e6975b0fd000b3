"""Which parts of an image are drawn, after NumPy's seed and Python's."""

import random

import numpy as np
from paddle.vision import transforms
from PIL import Image

image = Image.fromarray((np.arange(20 * 24 * 3) % 255).reshape(20, 24, 3).astype("uint8"))
for make in (
    lambda: transforms.RandomResizedCrop(10),
    lambda: transforms.RandomResizedCrop((8, 6), scale=(0.5, 0.9), interpolation="nearest"),
    lambda: transforms.RandomErasing(0.7),
    lambda: transforms.RandomErasing(1.0, scale=(0.2, 0.4), ratio=(0.5, 2.0), value=(1, 2, 3)),
):
    np.random.seed(3)
    random.seed(5)
    change = make()
    for _ in range(3):
        print(type(change).__name__, np.asarray(change(image)).astype("float64").mean().round(3))
