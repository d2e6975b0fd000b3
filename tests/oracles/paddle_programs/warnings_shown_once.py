"""How often warnings are shown under Python's default filter: once for each text, whatever line it is on."""

import warnings

import paddle


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.first = paddle.nn.BatchNorm2D(2)
        self.second = paddle.nn.BatchNorm1D(2)

    def forward(self, x):
        return self.second(self.first(x).reshape([1, 2, 9]))


def filled():
    """Warns of statistics, of weights that do not fit and of a deviation of one number."""
    images, one, layer = paddle.ones([1, 2, 3, 3]), paddle.to_tensor([1.0]), paddle.nn.Linear(2, 2)
    net = Net()
    net(images)
    net(images)
    net.first(images)
    layer.set_state_dict({"weight": paddle.ones([3, 3]), "bias": layer.bias})
    layer.set_state_dict({"weight": paddle.ones([3, 3]), "bias": layer.bias})
    layer.set_state_dict({"weight": paddle.ones([3, 3])})
    paddle.std(one)
    paddle.std(one)
    paddle.var(one)


for word in ("default", "default", "always", "ignore"):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter(word)
        filled()
    print(word)
    for warning in seen:
        print(" ", warning.category.__name__, warning.message)
