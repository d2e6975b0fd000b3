"""Indexing by numbers beside lists, tensors and masks: where the new axis stands, in reading and in writing."""

import numpy as np
import paddle

data = np.arange(120).reshape(2, 3, 4, 5)
pick = paddle.to_tensor([1, 0, 2])
keys = {
    "number, slice, list": (0, slice(None), [1, 2]),
    "number, slice, tensor": (1, slice(0, 2), slice(None), pick),
    "slice, number, slice, list": (slice(None), -1, slice(None), [0, 3]),
    "list, slice, number": ([1, 0], slice(None), 2),
    "number, slice, two lists": (-1, slice(None, None, 2), [1, 2], [0, 4]),
    "list, number, list": ([0, 1], 1, [2, 3]),
    "number, dots, tensor": (0, ..., pick),
    "two numbers, slice, list": (0, 1, slice(1, 3), [0, 0, 1]),
}
for word, key in keys.items():
    x = paddle.to_tensor(data.astype("float32"), stop_gradient=False)
    part = x[key]
    (part * part).sum().backward()
    print(word, list(part.shape), part.flatten().tolist()[:7], float(x.grad.sum()))
    y = paddle.to_tensor(data)
    y[key] = paddle.arange(part.size).reshape(part.shape) - 100
    print(" ", y[key].flatten().tolist()[:7], int(y.sum()))
    y[key] = 7
    print(" ", int(y.sum()))
