"""Gradients of recurrent layers: with lengths, both directions and layers; none in evaluation."""

import numpy as np

import paddle

nn = paddle.nn


def shown(one):
    return None if one is None else [f"{number + 0.0:.4g}" for number in one.flatten().tolist()[:6]]


def made(kind, **options):
    layer = kind(3, 4, **options)
    for i, one in enumerate(layer.parameters()):
        one.set_value((np.cos(np.arange(one.size) * 1.3 + i) * 0.5).reshape(one.shape).astype("float32"))
    return layer


CHOICES = (
    {},
    {"num_layers": 2, "direction": "bidirect"},
    {"num_layers": 2, "time_major": True},
    {"num_layers": 2, "dropout": 0.5},
)
for kind in (nn.SimpleRNN, nn.GRU, nn.LSTM):
    for options in CHOICES:
        for training in (True, False):
            for lengths in (None, [4, 2], [1, 3]):
                if options.get("dropout") and (training or lengths):
                    continue
                layer = made(kind, **options)
                layer.train() if training else layer.eval()
                shape = [4, 2, 3] if options.get("time_major") else [2, 4, 3]
                x = paddle.to_tensor(np.sin(np.arange(24) * 0.7).reshape(shape).astype("float32"), stop_gradient=False)
                given = None if lengths is None else paddle.to_tensor(lengths)
                found, states = layer(x, sequence_length=given)
                states = states if isinstance(states, (list, tuple)) else [states]
                print(kind.__name__, sorted(options), training, lengths, shown(found), *map(shown, states))
                loss = (found * found).sum() + sum((one * one).sum() for one in states)
                try:
                    loss.backward()
                except RuntimeError as error:
                    print("refused:", "holds no memory" in str(error), x.grad)
                else:
                    print(shown(x.grad), [shown(one.grad) for one in layer.parameters()][-2:])

# A cell by itself, and what runs one, are differentiated in evaluation too.
for kind in (nn.SimpleRNNCell, nn.GRUCell, nn.LSTMCell):
    layer = nn.RNN(made(kind))
    layer.eval()
    x = paddle.to_tensor(np.sin(np.arange(24) * 0.7).reshape([2, 4, 3]).astype("float32"), stop_gradient=False)
    layer(x)[0].sum().backward()
    print(kind.__name__, shown(x.grad))

# Asked after a step was looked at, in evaluation.
layer = made(nn.LSTM)
layer.eval()
x = paddle.ones([1, 2, 3])
x.stop_gradient = False
found = layer(x)[0]
print(shown(found))
try:
    (found * 2).sum().backward()
except RuntimeError:
    print("refused")
with paddle.no_grad():
    print(shown(layer(x)[0]))
