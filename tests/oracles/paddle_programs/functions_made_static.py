"""Functions and layers under `to_static`: what they are asked, trained and taken back."""

import inspect
import warnings

import numpy as np
import paddle

InputSpec = paddle.static.InputSpec
warnings.simplefilter("ignore")


def refused(call):
    try:
        print("took it:", call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


@paddle.jit.to_static(full_graph=True, input_spec=[InputSpec([None, 3], "float32", "x")])
def doubled(x):
    """Twice."""
    return x * 2.0


print(type(doubled).__name__, doubled.__name__, doubled.__doc__, inspect.signature(doubled))
print("def doubled(x)" in doubled.code, doubled.class_instance, doubled.is_property, doubled.get_traced_count())
print([one.name for one in doubled.inputs], doubled.inputs[0].shape, doubled.outputs[0].shape)
print(len(doubled.main_program.blocks), doubled.concrete_program.main_program.global_block().empty())
print(doubled.concrete_program is doubled.concrete_program, doubled.concrete_program.parameters)
print(doubled(paddle.ones([2, 3])).numpy().tolist(), doubled.get_traced_count() > 0)
concrete, _ = doubled.get_concrete_program(paddle.ones([2, 3]))
print(len(concrete.inputs), concrete.outputs[0].dtype)
print(doubled.train(), doubled.eval(), inspect.isfunction(doubled.rollback()), doubled.rollback()(paddle.ones([1])).item())


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = paddle.nn.Linear(3, 2, paddle.nn.initializer.Constant(0.5))

    @paddle.jit.to_static(full_graph=True)
    def forward(self, x):
        return paddle.tanh(self.fc(x))


net = Net()
print(type(net.forward).__name__, type(Net.forward).__name__, net.forward is net.forward, net.forward.class_instance is net)
refused(lambda: net.forward.concrete_program)
optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
x = paddle.to_tensor([[1.0, -2.0, 0.5], [0.2, 0.1, 0.4]])
for _ in range(2):
    loss = net(x).square().sum()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    print(round(loss.item(), 6), net.fc.bias.numpy().round(5).tolist())
print(net.forward.inputs[0].shape, net.forward.outputs[0].shape, len(net.forward.concrete_program.parameters[0]))
print(sorted(list(one.shape) for one in net.forward.concrete_program.parameters[0]))
before = net(x).numpy()
other = Net()
other.set_state_dict(net.state_dict())
print(np.allclose(other(x).numpy(), before), other.forward.class_instance is other, list(net.state_dict()))
print(type(net.forward.rollback()).__name__, type(net.forward).__name__, np.allclose(net(x).numpy(), before))

layer = paddle.nn.Linear(3, 2)
same = paddle.jit.to_static(layer, full_graph=True, input_spec=[InputSpec([None, 3], "float32")])
print(same is layer, type(layer.forward).__name__, layer.forward.inputs[0].shape, layer(x).shape)
print(type(layer.forward.rollback()).__name__, type(layer.forward).__name__, layer(x).shape)

plain = paddle.jit.to_static(lambda x: x + 1.0)
print(type(plain).__name__, plain(x).shape, plain.dygraph_function(x).shape)
for word in ("code", "concrete_program", "inputs", "outputs", "main_program", "program_cache", "function_spec"):
    refused(lambda word=word: getattr(plain, word))
refused(lambda: plain.get_concrete_program(x))
refused(lambda: plain.get_traced_count())
refused(lambda: plain.concrete_program_specify_input_spec())
print(inspect.isfunction(plain.rollback()))
print(inspect.isfunction(paddle.jit.not_to_static(refused)), paddle.jit.not_to_static(refused) is refused)
stacked = paddle.jit.to_static(paddle.nn.Sequential(paddle.nn.Linear(3, 2), paddle.nn.ReLU()))
print(type(stacked.forward).__name__, stacked(x).shape, len(stacked.parameters()))
