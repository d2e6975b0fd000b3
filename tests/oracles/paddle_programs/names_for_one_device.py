"""Answers about devices and processes on one processor, tensors by their class, windows, and other names."""

import warnings

import numpy as np
import paddle
import paddle.distributed as dist
import paddle.nn.functional as F
from paddle.distributed import fleet
from paddle.distributed.fleet.utils import recompute

device, cuda = paddle.device, paddle.cuda
print(device.device_count(), device.is_available(), device.current_device(), device.get_cudnn_version())
print(device.is_compiled_with_custom_device("npu"), device.is_compiled_with_ipu(), paddle.is_compiled_with_custom_device("a"))
print(device.get_all_custom_device_type(), device.get_available_custom_device(), device.is_bf16_supported())
print(cuda.is_available(), cuda.device_count(), cuda.current_device(), cuda.is_initialized(), cuda.is_bf16_supported())
print(paddle.get_default_device(), paddle.set_default_device("cpu"), paddle.ones([2]).get_device())
cuda.manual_seed(5)
first = paddle.rand([2])
device.manual_seed(5)
print(bool((paddle.rand([2]) == first).all()))

x = paddle.Tensor([[1, 2], [3, 4]])
print(x, paddle.Tensor(np.arange(2)), paddle.Tensor(paddle.ones([1], "int32")), paddle.Tensor(value=np.ones(1)))
print(paddle.Tensor(2, 3).shape, paddle.Tensor().shape, isinstance(x, paddle.Tensor))
print(x.view(4), x.view(1, 4), x.is_dense(), x.is_sparse(), x.dense_dim(), x.sparse_dim())
print(paddle.from_dlpack(np.ones(2, "float32"), device="cpu", copy=True))
print(paddle.utils.dlpack.from_dlpack(paddle.utils.dlpack.to_dlpack(x)))
print(paddle.int, paddle.long, paddle.short, paddle.autograd.Function is paddle.autograd.PyLayer)

best = paddle.topk(paddle.to_tensor([3.0, 1.0, 2.0]), 2)
print(best, best.values, best.indices, len(best))
print(paddle.gather(paddle.arange(6.0), paddle.to_tensor([[1], [2]])), paddle.gather(x, paddle.to_tensor([[1]]), 1))
for name in ("hann", "hamming", "blackman", "bartlett", "kaiser"):
    window = getattr(paddle, f"{name}_window")
    print(name, (window(6).numpy() + 0.0).round(4).tolist(), window(5, periodic=False, dtype="float64").numpy().round(4).tolist())
print(paddle.hamming_window(4, False, 0.5, 0.25).numpy().round(4).tolist(), paddle.kaiser_window(4, beta=3.0).numpy().round(4).tolist())
print(paddle.hann_window(1), paddle.hann_window(3, requires_grad=True).stop_gradient)

q = paddle.to_tensor(np.linspace(-1, 1, 24).reshape(1, 3, 2, 4).astype("float32"))
seen = paddle.to_tensor(np.tril(np.ones((1, 1, 3, 3), bool)))
print(F.scaled_dot_product_attention(q, q, q, seen).numpy().round(4).tolist())
logits = paddle.to_tensor(np.zeros((2, 3, 4), "float32"), stop_gradient=False)
for kind in ("none", "mean", "sum"):
    labels = paddle.to_tensor([[1, 2, 3], [1, 1, 0], [1, 2, 0]], dtype="int32")
    lengths = paddle.to_tensor([2, 2, 2]), paddle.to_tensor([3, 2, 2])
    loss = paddle.nn.CTCLoss(reduction=kind, zero_infinity=True)(logits, labels, *lengths)
    print(kind, loss.numpy().round(4).tolist())
loss.backward()
print(logits.grad.numpy().round(4).tolist())

print(fleet.worker_num() if hasattr(fleet, "_role_maker") else 1, dist.get_world_size())
block = paddle.nn.Linear(2, 2)
block.weight.set_value(paddle.eye(2))
y = paddle.to_tensor([[1.0, 2.0]], stop_gradient=False)
recompute(block, y).square().sum().backward()
print(y.grad, block.weight.grad)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    wrapped = paddle.DataParallel(block)
with wrapped.no_sync():
    wrapped(y).sum().backward()
print(list(wrapped.state_dict()), [name for name, _ in wrapped.named_parameters()], wrapped.scale_loss(y) is y)
print("ReLU" in paddle.nn.layer.activation.__dict__, paddle.vision.LeNet().__class__.__name__)
print(paddle.nn.AdaptiveAvgPool2D(2)._output_size)
