"""Images turned, moved, scaled, sheared and seen from elsewhere, at random and as told."""

import random

import numpy as np
from paddle.vision import transforms as T
from paddle.vision.transforms import functional as F
from PIL import Image

colours = Image.fromarray((np.arange(20 * 24 * 3).reshape(20, 24, 3) * 7 % 256).astype("uint8"))
random.seed(3)


def shown(word, image):
    array = np.asarray(image).astype(int)
    print(word, image.size, array[::6, ::7].reshape(-1).tolist(), int(array.sum()))


shown("turned", T.affine(colours, 30, [0, 0], 1.0, [0, 0]))
shown("all", F.affine(colours, 45, [2, -3], 0.5, [-10, 10]))
shown("sheared", F.affine(colours, 0.0, (0, 0), 1.5, 20, "bilinear", center=(3, 4)))
# Between the pixels: a corner on one is inside or outside by the last digit of a solver.
corners = [[2.3, 1.2], [20.4, 3.3], [22.2, 16.6], [1.4, 18.3]]
shown("seen", F.perspective(colours, [[0, 0], [23, 0], [23, 19], [0, 19]], corners))
for transform in (
    T.RandomAffine(20), T.RandomAffine([-30, 10], [0.2, 0.3], [0.5, 1.5], 10),
    T.RandomAffine(5, shear=[1, 5, -4, 9]),
    T.RandomPerspective(1.0), T.RandomPerspective(0.0), T.RandomPerspective(1.0, 0.2, "bilinear"),
):  # fmt: skip
    shown(type(transform).__name__, transform(colours))
shown("saturated", F.adjust_saturation(colours, 0.4))
