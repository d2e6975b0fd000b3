"""What tensors are asked beside their values: kinds, dtypes, memory, the operation before them."""

import numpy as np
import paddle


def refused(call):
    try:
        print("took it:", call())
    except Exception as error:
        kind = next(one for one in type(error).__mro__ if one.__module__ == "builtins")
        print(kind.__name__)


x = paddle.to_tensor([[0.1, 0.2, 0.7], [0.5, 0.3, 0.2]], stop_gradient=False)
made = x * 2.0
data = paddle.ones([2, 3])
weight = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))

for one in (x, made, data, weight):
    print(
        one.is_sparse_coo(),
        one.is_sparse_csr(),
        one.is_dist(),
        one.is_selected_rows(),
        one.layout,
        one.offset,
    )
    print(one.num_shard, one.placements, one.process_mesh, one.get_selected_rows())
for word in ("is_coalesced", "coalesce", "indices", "values", "nnz", "crows", "cols", "rows", "to_dense"):
    refused(getattr(data, word))
for word in (
    "int8",
    "uint8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
):
    print(getattr(made, word)().dtype, end=" ")
print(made.float32() is made)
(made.float64() * 3).sum().backward()
print(x.grad.numpy(), x.grad_.numpy())
x.grad_ = paddle.full([2, 3], 5.0)
print(x.grad.numpy())
x.clear_grad()

# Functions as methods.
print(np.round(x.softmax().numpy(), 5), np.round(x.softmax(0).numpy(), 5), x.softmax(dim=-1, dtype="float64").dtype)
(x.softmax(1) * paddle.to_tensor([1.0, 2.0, 4.0])).sum().backward()
print(np.round(x.grad.numpy(), 5))
for rank in (1, 3):
    print(paddle.ones([2] * rank).softmax().numpy().ravel()[:2])
wave = paddle.to_tensor(np.sin(np.arange(32.0)).astype("float32"), stop_gradient=False)
parts = wave.stft(8, hop_length=4)
print(parts.shape, parts.dtype, np.round(parts.numpy()[:2, 1], 4))
parts.abs().square().sum().backward()
print(np.round(wave.grad.numpy()[:6], 3))
print(np.abs(parts.istft(8, hop_length=4).numpy() - wave.numpy()).max() < 1e-5)

# Memory.
print(made.data_ptr() == made.data_ptr(), made.data_ptr() == made.clone().data_ptr())
print(data.data_ptr() == data.reshape([6]).data_ptr(), data.data_ptr() == data.detach().data_ptr())
print(weight.data_ptr() == weight.data_ptr(), weight.data_ptr() == data.data_ptr())
held = data.get_tensor()
print(np.array(held), held.shape())
held.set(np.full([2, 3], 4.0, "float32"), paddle.CPUPlace())
print(data.numpy())
other = paddle.zeros([1]) + 1
print(other.reconstruct_from_(data + 1), other.numpy())
fresh = paddle.zeros([1])
print(fresh.reconstruct_from_(data + 2), fresh.numpy())

# The operation before.
print(x.grad_fn.name(), weight.grad_fn.name(), x.grad_fn.next_functions)
print(paddle.to_tensor([1.0]).grad_fn.name())
print((data + 1).grad_fn, x.detach().grad_fn)
total = (x * x + weight.sum()).sum()
print(total.grad_fn.name(), len(total.grad_fn.next_functions), type(total.grad_fn).__name__)
both = total.grad_fn.next_functions[0].next_functions
print(both[0].name(), [one.name() for one in both[0].next_functions], both[1].name())
with paddle.no_grad():
    print((x * 2).grad_fn)

# Parameters.
print(weight.do_model_average, paddle.ParamAttr().do_model_average)
off = paddle.create_parameter([1], "float32", attr=paddle.ParamAttr(do_model_average=False))
print(off.do_model_average, weight.set_init_func(len))
same = type(weight).from_tensor(paddle.ones([2]) * 3, name="same")
print(same.numpy(), same.name, same.trainable, same.stop_gradient, isinstance(same, paddle.nn.Parameter))
print(type(weight).from_tensor(data, trainable=False).stop_gradient)
refused(lambda: paddle.ones([2]).mT)
print(data.mT.shape)
