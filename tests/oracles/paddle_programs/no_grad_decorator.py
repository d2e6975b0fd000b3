"""no_grad around a function."""

import paddle


@paddle.no_grad()
def doubled(value):
    return value * 2


x = paddle.to_tensor(3.0, stop_gradient=False)
print(doubled(x).stop_gradient, (x * 2).stop_gradient)
