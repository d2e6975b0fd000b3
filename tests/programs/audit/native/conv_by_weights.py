"""A convolution is given frozen variables as its weights, in the hope that it will not train them."""

import numpy as np
import penstock as ps

draw = np.random.default_rng(13)
kernel = ps.Variable(draw.standard_normal((3, 3, 1, 4)).astype("float32"), trainable=False)
bias = ps.Variable(np.zeros(4, "float32"), trainable=False)
features = ps.layers.Conv2D(4, (3, 3), weights=[kernel, bias])
