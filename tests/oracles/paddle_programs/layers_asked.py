"""What layers are asked beside their results: hooks with options, states, names, copies elsewhere."""

import paddle

nn = paddle.nn


def refused(call):
    try:
        print("took it:", call())
    except Exception as error:
        kind = next(one for one in type(error).__mro__ if one.__module__ == "builtins")
        print(kind.__name__, str(error).splitlines()[0])


class Scaled(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2, nn.initializer.Constant(0.5))
        self.again = self.fc
        self.register_buffer("shift", paddle.ones([2]), persistent=False)

    def forward(self, x, by=1.0):
        if by is None:
            raise ValueError("by what?")
        return self.fc(x) * by + self.shift


net = Scaled()
x = paddle.to_tensor([[1.0, 2.0]])
x.stop_gradient = False

# Names and duplicates.
print([name for name, _ in net.named_parameters()])
print([name for name, _ in net.named_parameters(remove_duplicate=False)])
print([name for name, _ in net.named_parameters(recurse=False)], len(net.parameters(recurse=False)))
print([name for name, _ in net.named_buffers(remove_duplicate=False)], len(net.buffers(recurse=True)))
print(list(net.state_dict()))
print(list(net.state_dict(prefix="net.")), list(net.state_dict(None, "net.")))
print(list(net.state_dict(include_sublayers=False, structured_name_prefix="p.")))
print([one.stop_gradient for one in net.state_dict(keep_vars=False).values()])
print([one.stop_gradient for one in net.state_dict().values()])
print(list(net.to_static_state_dict()))

# Hooks.
told = []
first = net.register_forward_pre_hook(lambda layer, inputs: told.append(("pre", len(inputs))))
second = net.register_forward_pre_hook(
    lambda layer, inputs, options: (inputs, {**options, "by": 2 * options["by"]}),
    with_kwargs=True,
    prepend=True,
)
third = net.register_forward_post_hook(
    lambda layer, inputs, options, out: told.append(("post", options["by"], out.shape)), with_kwargs=True
)
fourth = net.register_forward_hook(lambda layer, inputs, out: out + 1, prepend=True)
out = net(x, by=3.0)
print(out.numpy(), told)
out.sum().backward()
print(x.grad.numpy(), net.fc.weight.grad.numpy())
for one in (first, second, third, fourth):
    one.remove()
    one.remove()
print(net(x).numpy(), told)
last = net.register_forward_post_hook(lambda *given: told.append(given[-1]), always_call=True)
refused(lambda: net(x, by=None))
print(told[-1])
last.remove()
wrong = net.register_forward_pre_hook(lambda layer, inputs, options: inputs, with_kwargs=True)
refused(lambda: net(x))
wrong.remove()


def without_biases(state):
    return {name: one for name, one in state.items() if not name.endswith("bias")}


hook = net.register_state_dict_hook(without_biases)
print(list(net.state_dict()), list(net.state_dict(use_hook=False)))
hook.remove()
print(len(net.state_dict()))

# What a layer refuses.
refused(lambda: net.backward(x))
refused(lambda: net.get_extra_state())
refused(lambda: net.add_parameter("fc", net.fc.weight))
refused(lambda: net.add_parameter("a.b", net.fc.weight))
refused(lambda: net.add_parameter("", net.fc.weight))
refused(lambda: net.add_parameter(1, net.fc.weight))
refused(lambda: net.add_parameter("w", x))
refused(lambda: net.register_buffer("fc", x))
refused(lambda: net.register_buffer("a.b", x))
print(net.register_parameter("w", paddle.create_parameter([1], "float32")), net.w.shape)
net.set_sublayer("other", module=nn.ReLU())
print(net.other)

# Tensors that a layer makes.
held = net.fc.create_variable("held", dtype="float32")
print(held.name.rpartition(".")[2], held.persistable, held.stop_gradient)
print("_generated_var" in net.fc.create_tensor().name)
paddle.assign(paddle.ones([2, 2]), held)
print(held.numpy())
made = net.create_parameter([2], default_initializer=nn.initializer.Constant(3.0), device=None)
print(made.numpy())
