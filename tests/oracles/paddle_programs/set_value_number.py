"""A number is no value for set_value."""

import paddle

x = paddle.to_tensor(1.0)
try:
    x.set_value(2.0)
except AssertionError:
    print("refused", x.item())
