"""Distinct elements and slices, and places of what is not zero."""

import paddle

x = paddle.to_tensor([[2, 1, 1], [3, 0, 0], [2, 1, 1]])


def shown(found):
    several = found if isinstance(found, (list, tuple)) else [found]
    return [(one.tolist(), str(one.dtype)) for one in several]


for axis in (None, 0, 1, -1):
    print(shown(paddle.unique(x, axis=axis)))
    print(shown(paddle.unique(x, return_index=True, return_inverse=True, return_counts=True, axis=axis)))
    print(shown(paddle.unique_consecutive(x, return_inverse=True, return_counts=True, axis=axis)))
print(shown(paddle.unique(x, return_counts=True, dtype="int32")))
print(shown(paddle.nonzero(x, as_tuple=True)), paddle.nonzero(x).shape)
print(shown(paddle.where(x > 1)))
