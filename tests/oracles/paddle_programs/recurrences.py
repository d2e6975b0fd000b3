"""Recurrent layers and cells: both directions, lengths, states, several layers, and their gradients."""

import numpy
import paddle
from paddle import nn


def rounded(found):
    if isinstance(found, (list, tuple)):
        return [rounded(one) for one in found]
    return found.shape, [round(one, 3) + 0.0 for one in found.flatten().tolist()[:6]]


def run(name, layer, *given, **options):
    for i, one in enumerate(layer.parameters()):
        one.set_value((numpy.sin(numpy.arange(one.size) + i) * 0.5).reshape(one.shape).astype("float32"))
    found = layer(*given, **options)
    first = found[0]
    weights = paddle.cos(paddle.arange(first.size, dtype="float32")).reshape(first.shape)
    (first * weights).sum().backward()
    print(name, rounded(found), [round(float(one.grad.abs().sum()), 2) for one in layer.parameters()])


x = paddle.to_tensor(numpy.cos(numpy.arange(30)).reshape(2, 5, 3).astype("float32"))
start = paddle.full([2, 2, 4], 0.3)
for name in ("SimpleRNN", "LSTM", "GRU"):
    kind, cell = getattr(nn, name), getattr(nn, f"{name}Cell")
    run(name, kind(3, 4), x)
    run(name, kind(3, 4, 2, direction="bidirect"), x)
    run(name, kind(3, 4, direction="bidirectional"), x, sequence_length=paddle.to_tensor([5, 3]))
    run(name, kind(3, 4, time_major=True), x.transpose([1, 0, 2]))
    run(name, kind(3, 4, 2), x, (start, start * 2) if name == "LSTM" else start)
    run(f"{name}Cell", cell(3, 4), x[:, 0])
    run("RNN", nn.RNN(cell(3, 4), is_reverse=True), x)
    run("BiRNN", nn.BiRNN(cell(3, 4), cell(3, 4)), x)
    print([name for name, _ in kind(3, 4, 2, direction="bidirect").named_parameters()])
    print(list(kind(3, 4).state_dict()), kind(3, 4, 2))
run("relu", nn.SimpleRNN(3, 4, activation="relu"), x)


class Leaky(nn.SimpleRNNCell):
    """A cell of one's own."""

    def forward(self, inputs, states=None):
        states = self.get_initial_states(inputs) if states is None else states
        found = 0.5 * states + paddle.tanh(inputs @ self.weight_ih.T + states @ self.weight_hh.T)
        return found, found


layer = nn.RNN(Leaky(3, 4))
layer.cell.weight_ih.set_value(numpy.full((4, 3), 0.1, "float32"))
layer.cell.weight_hh.set_value(numpy.full((4, 4), 0.2, "float32"))
print(rounded(layer(x)))
