"""Options that are seldom given, each with a result that shows it."""

import numpy
import paddle
from paddle import nn
from paddle.nn import functional as F

a = paddle.to_tensor([[2.0, 9.0], [1.0, 3.0]])


def rounded(tensor):
    return [round(one, 3) + 0.0 for one in tensor.flatten().tolist()]


print(rounded(paddle.linalg.eigvalsh(a, UPLO="U")), rounded(paddle.linalg.eigvalsh(a, UPLO="L")))
print(rounded(paddle.linalg.eigh(a, UPLO="U")[0]), rounded(paddle.linalg.pinv(a, hermitian=True)))
table = paddle.to_tensor([[3.0, 4.0], [6.0, 8.0], [0.1, 0.2]])
print(rounded(F.embedding(paddle.to_tensor([0, 2]), table, max_norm=1.0)), rounded(table))
layer = nn.Embedding(2, 2, max_norm=1.0, norm_type=1.0)
layer.weight.set_value(numpy.array([[3.0, 4.0], [6.0, 8.0]], "float32"))
print(rounded(layer(paddle.to_tensor([1]))), rounded(layer.weight))
table = paddle.ones([2, 2])
table.stop_gradient = False
F.embedding(paddle.to_tensor([0, 0, 1]), table, scale_grad_by_freq=True).sum().backward()
print(rounded(table.grad))
print(rounded(nn.Embedding(3, 2, padding_idx=1).weight[1]))
x = paddle.arange(8.0).reshape([1, 2, 4])
print(rounded(F.instance_norm(x, running_mean=paddle.zeros([2]), running_var=paddle.ones([2]), use_input_stats=False)))
start = nn.initializer.TruncatedNormal(0.0, 1.0, a=-0.1, b=0.1)
drawn = paddle.create_parameter([2000], "float32", default_initializer=start)
print(0.09 < float(drawn.abs().max()) <= 0.1)
wide = paddle.create_parameter([9000], "float32", default_initializer=nn.initializer.TruncatedNormal(0.0, 0.02))
print(float(wide.abs().max()) > 0.05)
print(paddle.uniform([3], seed=7).tolist() == paddle.uniform([3], seed=7).tolist())
print(len(list(paddle.io.RandomSampler(range(10), replacement=True, num_samples=25))))
print(len(set(paddle.io.RandomSampler(range(10), num_samples=4))))
print(paddle.bernoulli(paddle.full([4], 0.5), p=1.0).tolist())
q, k = paddle.ones([1, 3, 4, 8]), paddle.ones([1, 3, 2, 8])
print(F.scaled_dot_product_attention(q, k, k, enable_gqa=True).shape)
print([one.tolist() for one in paddle.meshgrid(paddle.arange(2), paddle.arange(3), indexing="xy")])
net = nn.Sequential(nn.Linear(2, 2), nn.LayerNorm(2)).bfloat16(excluded_layers=[nn.LayerNorm])
print(net[0].weight.dtype, net[1].weight.dtype)
print(paddle.take_along_axis(a, paddle.zeros([1, 2], "int64"), 0, broadcast=False).tolist())
print(rounded(F.gelu(a, approximate="tanh")), rounded(nn.SELU(scale=2.0, alpha=3.0)(a - 3)))
print(paddle.bincount(paddle.to_tensor([1, 2, 1]), weights=paddle.to_tensor([2.0, 1.0, 1.0])).tolist())
print(paddle.tensordot(paddle.ones([2, 3, 4]), paddle.ones([3, 2, 4]), axes=[[0, 1, 2], [1, 0]]).item())
y = paddle.to_tensor([1.0, 2.0])
nn.Silu(True)(y)
print(rounded(y), rounded(nn.PixelShuffle(2, data_format="NHWC")(paddle.arange(16.0).reshape([1, 2, 2, 4]))))
layers = nn.LayerList([nn.ReLU(), nn.Tanh()])
del layers[0]
print(len(layers), paddle.arange(5)[range(0, 3)].tolist(), float(numpy.mean(paddle.ones([4]))))
scheduler = paddle.optimizer.lr.ReduceOnPlateau(0.1)
scheduler.step(paddle.to_tensor(3.0))
print({key: float(value) for key, value in scheduler.state_dict().items()})
net = nn.Linear(1, 1)
net.b = paddle.to_tensor([1.0])
net.b = net.b * 2
print([name for name, _ in net.named_buffers()], list(net.state_dict()), net.b.tolist())
net.b = None
print(net.b, [name for name, _ in net.named_buffers()])
paddle.set_default_dtype("float64")
print(nn.Linear(1, 1).weight.dtype, nn.BatchNorm1D(2).weight.dtype, nn.Conv2D(1, 1, 1).weight.dtype)
paddle.set_default_dtype("float32")


class Numbers(paddle.io.Dataset[int]):
    def __getitem__(self, index):
        return numpy.full((2,), index, "float32")

    def __len__(self):
        return 3


print([one.tolist() for one in paddle.io.DataLoader(Numbers(), batch_size=2)])
for ignored in (-100, -1, 1):
    for reduction in ("mean", "none", "sum"):
        logits = paddle.to_tensor([[1.0, 2.0, 3.0], [3.0, 1.0, 0.0], [0.0, 0.0, 1.0]], stop_gradient=False)
        labels = paddle.to_tensor([0, 1, 2])
        kept = paddle.where(labels != 1, labels, paddle.full_like(labels, ignored))
        loss = F.cross_entropy(logits, kept, ignore_index=ignored, reduction=reduction)
        loss.sum().backward()
        print(ignored, reduction, rounded(loss), rounded(logits.grad))
print(nn.CTCLoss()(paddle.zeros([5, 1, 3]), paddle.to_tensor([[1, 2]], dtype="int32"), paddle.to_tensor([5]), paddle.to_tensor([2])))
F.selu(y, scale=0.5)
