"""Matrices of derivatives in static programs."""

import warnings

import numpy as np
import paddle

# Of a name of Paddle's own that its parts ask for.
warnings.simplefilter("ignore")

autograd = paddle.incubate.autograd
paddle.enable_static()
main, startup = paddle.static.Program(), paddle.static.Program()
with paddle.static.program_guard(main, startup):
    x = paddle.static.data("x", [2, 2], "float32")
    y = paddle.static.data("y", [2, 2], "float32")
    for one in (x, y):
        one.stop_gradient = False
    several = autograd.Jacobian(lambda a, b: paddle.matmul(a, b), [x, y])
    batched = autograd.Jacobian(lambda a: a * a, x, is_batched=True)
    second = autograd.Hessian(lambda a: (a * a * a).sum(), x)
    made = [several[:], batched[:], second[:]]
executor = paddle.static.Executor()
executor.run(startup)
fed = {"x": np.array([[1, 2], [3, 4]], "float32"), "y": np.array([[5, 6], [7, 8]], "float32")}
for one in executor.run(main, feed=fed, fetch_list=made):
    print(one.shape, one.tolist())
