"""Tensors like others, diagonals and draws in place, lists of tensors, limits of dtypes, other names."""

import warnings

import numpy as np
import paddle

warnings.simplefilter("ignore")

x = paddle.zeros([3, 4])
x.fill_diagonal_(2.0)
print(x.tolist())
for offset, wrap in ((0, True), (1, False), (0, False)):
    x = paddle.zeros([7, 3])
    x.fill_diagonal_(2.0, offset, wrap)
    print(x.tolist())
x = paddle.zeros([2, 2, 2])
x.fill_diagonal_(1.0)
print(x.tolist())
x = paddle.zeros([4, 3])
x.fill_diagonal_tensor_(paddle.to_tensor([1.0, 2.0, 3.0]))
print(x.tolist(), x.fill_diagonal_tensor(paddle.to_tensor([5.0, 6.0]), 1).tolist())
for word in ("bernoulli_", "exponential_", "cauchy_", "log_normal_", "random_"):
    x = paddle.zeros([50])
    found = getattr(x, word)()
    print(word, found is x, x.shape, x.dtype, len(set(x.tolist())) > 1)
x = paddle.zeros([200])
print(bool((x.geometric_(0.3) > 0).all()), bool((x.random_(2, 5) < 5).all()), bool((x >= 2).all()))

x = paddle.to_tensor([1.0, 2.0, 3.0])
print(x.new_full([2], 3).tolist(), x.new_zeros([2]).tolist(), x.new_ones(2, 2).dtype, x.new_empty([3]).shape)
print(x.requires_grad, x.itemsize, x.stride(), x.is_contiguous(), x.get_strides(), x.is_same_shape(x + 1))
x.requires_grad = True
print(x.stop_gradient, x.requires_grad_(False).stop_gradient)
print(paddle.asarray([1, 2]).dtype, paddle.as_tensor([1.0]).dtype, paddle.tensor([1]).dtype)
print(paddle.range(5).tolist(), paddle.range(0, 1, 0.25).tolist(), paddle.range(5, dtype="int64").tolist())
print(x.repeat(2).tolist(), x.repeat(2, 1).shape, [one.tolist() for one in x.split_with_sizes([1, 2])])
print(x.type_as(paddle.to_tensor([1])).dtype, x.byte().dtype, x.char().dtype, x.short().dtype)
print(x.cfloat().dtype, x.bfloat16().dtype, paddle.float, paddle.double, paddle.half, paddle.cfloat)
y = paddle.to_tensor([1.0, -2.0])
print(paddle.where_(y > 0, y, paddle.zeros([2])).tolist(), y.tolist())
x = paddle.to_tensor([1.0, 2.0, 3.0])
print(x.resize_([2, 1]).tolist(), x.resize_([3], True).tolist())
x.set_(paddle.to_tensor([[4.0, 5.0]]))
print(x.tolist(), x.set_().shape)
array, place = paddle.tensor.create_array("float32"), paddle.zeros([1], "int32")
array = paddle.tensor.array_write(paddle.ones([1, 3]), place, array)
print(paddle.tensor.array_read(array, place).tolist(), int(paddle.tensor.array_length(array)))
print(paddle.finfo("float32"), paddle.finfo(paddle.float16), paddle.finfo("bfloat16"), paddle.iinfo("int8"))
print(paddle.finfo("float64").eps, paddle.iinfo(paddle.int64).max, paddle.finfo("float32").bits)
for word in ("FloatTensor", "DoubleTensor", "LongTensor", "BoolTensor", "ByteTensor", "HalfTensor"):
    maker = getattr(paddle, word)
    print(word, maker([1, 0]).dtype, maker([1, 0]).tolist(), maker(2, 3).shape)
x = paddle.to_tensor([[1.0, 2.0], [3.0, 5.0]])
print(paddle.softmax(x).numpy().round(5).tolist(), paddle.softmax(x[0]).numpy().round(5).tolist())
print(np.round(paddle.layer_norm(x, [2]).numpy(), 4).tolist(), paddle.nn.functional.softmax(x, 0).shape)
at = paddle.get_rng_state()
first = paddle.rand([3])
paddle.set_rng_state(at)
print(bool((first == paddle.rand([3])).all()), paddle.get_cuda_rng_state())
