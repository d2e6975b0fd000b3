"""Copies of layers: what their parameters are called and keep, and layers that make others like themselves."""

import copy

import paddle
from paddle import nn

attr = paddle.ParamAttr(learning_rate=0.5, need_clip=False, regularizer=paddle.regularizer.L2Decay(0.1))
layer = nn.Linear(2, 2, weight_attr=attr)
twin = copy.deepcopy(layer)
for one in (*layer.parameters(), *twin.parameters(), copy.deepcopy(layer.weight)):
    rate = one.optimize_attr["learning_rate"]
    print(one.name, one.need_clip, rate, one.regularizer is not None, one.stop_gradient)
paddle.seed(7)
stack = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, 0.2, normalize_before=True), 2)
for name, one in stack.named_parameters():
    print(name, one.name, f"{one.sum().item():.5f}")
stack = nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8), 2, nn.LayerNorm(4))
print([one.name for one in stack.parameters()][-8:], stack.layers[1].dropout1.p)
normed = nn.utils.weight_norm(nn.Linear(3, 2))
print([(name, one.name) for name, one in normed.named_parameters()])
print(nn.BatchNorm3D(2, momentum=0.3))


def steps(network, **options):
    optimizer = paddle.optimizer.SGD(0.1, parameters=network.parameters(), **options)
    (network(paddle.ones([1, 2])) ** 2).sum().backward()
    optimizer.step()
    print([[f"{number:.5f}" for number in one.flatten().tolist()] for one in network.parameters()])


twin.set_state_dict({"weight": paddle.ones([2, 2]), "bias": paddle.ones([2])})
steps(twin, grad_clip=nn.ClipGradByGlobalNorm(0.1))
