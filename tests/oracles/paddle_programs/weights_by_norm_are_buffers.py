"""A weight that is computed from others is a buffer of its layer, which is not saved."""

import warnings

import paddle

warnings.simplefilter("ignore")


def show(layer):
    print("buffers", [name for name, _ in layer.named_buffers()])
    print("  state", list(layer.state_dict()))
    print("  parameters", [name for name, _ in layer.named_parameters()])


normed = paddle.nn.utils.weight_norm(paddle.nn.Conv2D(2, 3, 3))
show(normed)
normed(paddle.ones([1, 2, 4, 4])).sum().backward()
show(normed)
print(normed.weight.stop_gradient, normed.weight.is_leaf, normed.weight_g.grad is not None)
paddle.nn.utils.remove_weight_norm(normed)
show(normed)

spectral = paddle.nn.utils.spectral_norm(paddle.nn.Linear(2, 3))
show(spectral)
spectral(paddle.ones([1, 2]))
show(spectral)


class Holder(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.kept = paddle.ones([3])


holder = Holder()
holder.kept = holder.kept + 1
show(holder)
try:
    holder.kept = 3.0
except TypeError as error:
    print(str(error).splitlines()[0])
holder.kept = None
print(holder.kept)
