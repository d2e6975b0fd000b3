"""LSTM with a shorter output, cells without some weights, and sequences of several lengths."""

import warnings

import numpy as np

import paddle

warnings.simplefilter("ignore")  # Paddle calls a function of its own that it advises against.
paddle.seed(3)
x = paddle.to_tensor(np.random.RandomState(0).randn(2, 4, 3).astype("float32"))
lengths = paddle.to_tensor([4, 2])


def show(*tensors):
    for one in tensors:
        print(np.round(one.numpy().astype("float64"), 4).tolist())


for options in ({}, {"num_layers": 2}, {"num_layers": 2, "direction": "bidirect", "dropout": 0.4}):
    layer = paddle.nn.LSTM(3, 4, proj_size=2, **options)
    print([(name, one.shape) for name, one in layer.named_parameters()])
    print(sorted(layer.state_dict()))
    y, (h, c) = layer(x)
    show(y.sum(-1), h.sum(-1), c.sum(-1))
    y, (h, c) = layer(x, None, lengths)
    show(y.sum(-1), h.sum(-1), c.sum(-1))
    y.sum().backward()
    show(*[one.grad.sum() for one in layer.parameters()])
    y, _ = layer(x, (paddle.ones([h.shape[0], 2, 2]), paddle.ones([h.shape[0], 2, 4])))
    show(y.sum(-1))

cell = paddle.nn.LSTMCell(3, 4, proj_size=2)
print(cell.state_shape, cell)
y, (h, c) = cell(x[:, 0], (paddle.zeros([2, 2]), paddle.zeros([2, 4])))
show(y, h, c)

for kind in (paddle.nn.LSTMCell, paddle.nn.GRUCell, paddle.nn.SimpleRNNCell):
    cell = kind(3, 4, bias_ih_attr=False, weight_hh_attr=False)
    print([(name, one.shape, one.stop_gradient) for name, one in cell.named_parameters()])
    y, _ = cell(x[:, 0])
    show(y)


class Halving(paddle.nn.RNNCellBase):
    """A cell of one's own."""

    def __init__(self):
        super().__init__()
        self.linear, self.hidden_size = paddle.nn.Linear(3, 4), 4

    @property
    def state_shape(self):
        """The shape of a state."""
        return (4,)

    def forward(self, x, h):
        """Half of the state, and the input."""
        y = paddle.tanh(self.linear(x) + h * 0.5)
        return y, y


for cell in (Halving(), paddle.nn.GRUCell(3, 4), paddle.nn.LSTMCell(3, 4)):
    for backwards in (False, True):
        y, _ = paddle.nn.RNN(cell, is_reverse=backwards)(x, None, lengths)
        show(y.sum(-1))
y, _ = paddle.nn.GRU(3, 4)(x, None, lengths)
show(y.sum(-1))
for size in (4, -1):
    try:
        paddle.nn.LSTMCell(3, 4, proj_size=size)
    except ValueError as error:
        print(str(error).splitlines()[0])
