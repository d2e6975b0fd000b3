"""Methods that layers and optimizers also have under the names of other frameworks."""

import paddle
from paddle import nn

paddle.seed(7)
inner, net = nn.Linear(2, 3), nn.Layer()
net.add_module("fc", inner)
net.register_module("norm", nn.BatchNorm1D(3))
net.register_parameter("scale", paddle.create_parameter([1], "float32"))
net.block = nn.Sequential(nn.ReLU(), inner)
print([name for name, _ in net.named_modules()], [type(one).__name__ for one in net.modules()])
print([name for name, _ in net.named_modules(prefix="top")])
print([name for name, _ in nn.Sequential(inner, nn.Sequential(inner)).named_modules(remove_duplicate=False)])
print(net.get_submodule("block.1") is inner, net.get_sublayer("") is net, net.get_parameter("block.1.bias").shape)
net.set_submodule("block.0", nn.Tanh())
net.set_sublayer("block.2", nn.ELU())
print(net.block, net.get_buffer("norm._mean").shape if hasattr(net.norm, "_buffer") else "")


def attempt(function, *arguments, **words):
    try:
        print(function(*arguments, **words))
    except Exception as error:
        print(type(error).__name__, error)


attempt(net.get_submodule, "block.7")
attempt(net.get_parameter, "fc.scale")
attempt(net.get_parameter, "block")
attempt(net.set_submodule, "new", nn.ReLU(), strict=True)

wanted = {"weight": paddle.ones([2, 3]), "bias": paddle.zeros([3])}
attempt(inner.load_state_dict, wanted)
attempt(inner.load_state_dict, {"weight": paddle.zeros([2, 3])})
attempt(inner.load_state_dict, {"weight": paddle.zeros([2, 3]), "more": paddle.zeros([1])}, strict=False)
attempt(inner.load_state_dict, {"weight": paddle.zeros([3, 3]), "bias": paddle.zeros([3])})
print(inner.weight.sum().item())

hook = inner.register_forward_hook(lambda layer, inputs, output: output + 1.0)
print(inner(paddle.ones([1, 2])))
hook.remove()
sgd = paddle.optimizer.SGD(0.1, parameters=inner.parameters())
inner(paddle.ones([1, 2])).sum().backward()
inner.zero_grad()
print(inner.weight.grad)
inner(paddle.ones([1, 2])).sum().backward()
inner.zero_grad(False)
print(inner.weight.grad)
inner(paddle.ones([1, 2])).sum().backward()
sgd.step()
sgd.zero_grad()
print(inner.weight, inner.weight.grad)
sgd.load_state_dict(sgd.state_dict())
print(inner.requires_grad_(False) is inner, inner.weight.stop_gradient, inner.requires_grad_().bias.stop_gradient)
print(net.train(False) is net, net.norm.training, net.train().norm.training, inner.cpu() is inner)
print(inner.double().weight.dtype, inner.half().weight.dtype, inner.type("float32").weight.dtype)

row = nn.Sequential(nn.ReLU(), nn.Tanh())
print(row.insert(1, nn.ELU()) is row, row.extend([nn.Sigmoid()]), row.insert(-1, nn.CELU()))
del row[0]
print(row)
attempt(row.insert, 9, nn.ReLU())
some = nn.LayerList([nn.ReLU(), nn.Tanh(), nn.ELU()])
print(some.pop(-1), some.pop(0), some)

weight = paddle.zeros([3, 3])
for name, arguments in {
    "constant_": (0.5,), "ones_": (), "zeros_": (), "eye_": (), "uniform_": (-1.0, 1.0), "normal_": (1.0, 0.5),
    "trunc_normal_": (0.0, 0.5, -0.5, 0.5), "xavier_uniform_": (2.0,), "xavier_normal_": (),
    "kaiming_uniform_": (0.2,), "kaiming_normal_": (0.0, "fan_out", "relu"), "orthogonal_": (),
}.items():  # fmt: skip
    paddle.seed(1)
    print(name, getattr(nn.init, name)(weight, *arguments), weight.numpy().round(4).tolist())
print(nn.init.calculate_gain("tanh"), nn.parameter.Parameter is not None)
