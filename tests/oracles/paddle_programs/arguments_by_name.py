"""Functions by their arguments' names, arguments that are refused, and shapes that functions settle."""

import numpy as np
import paddle

functional = paddle.nn.functional
ones = paddle.ones


def data():
    return paddle.to_tensor([0.25, -0.5])


tensor = paddle.Tensor
print(np.round(tensor.erfinv_(x=data()).numpy(), 5).tolist(), tensor.exp_(x=data()).shape, tensor.clip_(x=data(), min=0.0).tolist())
print(tensor.fill_(x=data(), value=2.0).tolist(), tensor.zero_(x=data()).tolist())
print(tensor.uniform_(x=data()).shape, tensor.normal_(x=data(), mean=1.0).shape)
print(paddle.bmm(x=ones([2, 1, 3]), y=ones([2, 3, 1])).tolist(), paddle.trunc(input=data()).tolist())
print(paddle.assign(4.5).shape, paddle.assign(True).tolist(), paddle.normal(ones([3]), shape=[3, 4]).shape)
angles = paddle.atan2(paddle.to_tensor([1, 2]), paddle.to_tensor([3, -4]))
print(angles.dtype, np.round(angles.numpy(), 6).tolist())
print(paddle.tensordot(ones([2, 3, 4]), ones([3, 4, 5]), axes=([1, 2], [0, 1], [2])).shape)
print(functional.hardtanh(data(), min=1.0, max=-1.0).tolist(), data().astype("uint16").dtype)
print(paddle.CPUPlace()._equals(data().place))
REFUSED = {
    "addmm of a vector": lambda: paddle.addmm(ones([5, 5]), ones([5, 3]), ones([3])),
    "alpha_dropout": lambda: functional.alpha_dropout(ones([2]), p=-1.0),
    "argmax": lambda: paddle.argmax(ones([3, 3]), dtype="float32"),
    "argmax of none": lambda: paddle.argmax(ones([3, 3]), dtype=None),
    "argmax axis": lambda: paddle.argmax(ones([3, 3]), axis=2),
    "bmm of matrices": lambda: paddle.bmm(ones([2, 2]), ones([2, 2])),
    "bmm of one and four": lambda: paddle.bmm(ones([1, 2, 3]), ones([4, 3, 2])),
    "bmm that does not fit": lambda: paddle.bmm(ones([2, 2, 3]), ones([2, 2, 3])),
    "eye": lambda: paddle.eye(-1),
    "eye of a fraction": lambda: paddle.eye(2.5),
    "flatten backwards": lambda: paddle.flatten(ones([2, 3, 4]), 2, 1),
    "flatten outside": lambda: paddle.flatten(ones([2, 3, 4]), 5, 6),
    "flatten between": lambda: paddle.flatten(ones([2, 3, 4]), 1.5, 2),
    "flatten of an array": lambda: paddle.flatten(np.ones([2, 3])),
    "index_select by a matrix": lambda: paddle.index_select(ones([2, 3]), paddle.to_tensor([[0, 1]])),
    "index_select by fractions": lambda: paddle.index_select(ones([2, 3]), paddle.to_tensor([0.0, 1.0])),
    "roll": lambda: paddle.roll(ones([2, 2]), 1, axis=4),
    "split": lambda: paddle.split(ones([4, 2]), [1, 1]),
    "unique": lambda: paddle.unique(ones([2, 2]), axis=3),
}
for name, call in REFUSED.items():
    try:
        call()
    except (TypeError, ValueError) as error:
        print(name, "TypeError" if isinstance(error, TypeError) else "ValueError")
