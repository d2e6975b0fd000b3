import warnings

import numpy as np
import paddle
import paddle.static as static

warnings.simplefilter("ignore")
paddle.enable_static()
main, startup = static.Program(), static.Program()
with static.program_guard(main, startup):
    x = static.data("x", [None, 2], "float32")
    x.stop_gradient = False
    weight = static.create_parameter(
        [2, 1], "float32", default_initializer=paddle.nn.initializer.Constant(0.5)
    )
    y = paddle.matmul(x, weight)
    total = (y * y * y).sum()
    (slope,) = static.gradients(total, x)
    (bend,) = static.gradients(slope.sum(), x)
    by_weight = static.gradients([total], [weight])
    weighted = static.gradients([y], [x], target_gradients=[paddle.ones_like(y) * 2.0])
    other = static.data("other", [2], "float32")
    print(static.gradients([total], [other]))
    penalty = total + (static.gradients([total], [x])[0] ** 2).sum()
    pairs = static.append_backward(penalty)
print([one.name == weight.name for one, _ in pairs], slope.shape)
executor = static.Executor()
executor.run(startup)
feed = {"x": np.array([[1.0, 2.0], [0.5, -1.0]], "float32"), "other": np.zeros(2, "float32")}
for one in executor.run(main, feed, [total, slope, bend, by_weight[0], weighted[0], penalty, pairs[0][1]]):
    print(np.round(one, 4).tolist())
for one in executor.run(main, feed, [total, pairs[0][1]]):
    print(np.round(one, 4).tolist())
paddle.disable_static()
