"""A shape of another size."""

import paddle

paddle.reshape(paddle.ones([2, 3]), [4, 2])
