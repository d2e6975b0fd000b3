"""Recording switched off and on."""

import paddle

x = paddle.to_tensor(3.0, stop_gradient=False)
with paddle.set_grad_enabled(False):
    print((x * 2).stop_gradient)
    with paddle.set_grad_enabled(True):
        print((x * 2).stop_gradient)
    print((x * 2).stop_gradient)
print((x * 2).stop_gradient)
