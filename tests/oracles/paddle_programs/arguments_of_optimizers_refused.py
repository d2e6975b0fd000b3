"""An argument under another framework's name, and a layer in place of its parameters."""

import paddle

layer = paddle.nn.Linear(2, 2)
for given in ({"lr": 0.1}, {"params": layer.parameters()}, {"parameters": layer}, {"parameters": 5}):
    try:
        paddle.optimizer.Adam(**{"parameters": layer.parameters(), **given})
    except TypeError as error:
        print("refused", str(error).splitlines()[0])
