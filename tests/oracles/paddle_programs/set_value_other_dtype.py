"""A value of another dtype is refused."""

import numpy as np
import paddle

x = paddle.to_tensor([1.0, 2.0])
x.set_value(np.zeros([2], dtype="float64"))
