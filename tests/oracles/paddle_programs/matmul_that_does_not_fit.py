"""A matrix product whose inner lengths differ."""

import paddle

paddle.matmul(paddle.ones([2, 3]), paddle.ones([2, 3]))
