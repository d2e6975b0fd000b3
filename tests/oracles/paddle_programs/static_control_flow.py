import warnings

import numpy as np
import paddle
import paddle.static as static

warnings.simplefilter("ignore")
paddle.enable_static()
main = static.Program()
with static.program_guard(main):
    x = static.data("x", [2], "float32")
    x.stop_gradient = False
    low, high = paddle.full([1], 0.0), paddle.full([1], 10.0)
    chosen = static.nn.cond(x.sum() > 0, lambda: x * 2.0, lambda: x - 1.0)
    (slope,) = static.gradients(chosen.sum(), x)
    several = static.nn.cond(x[0] < x[1], lambda: (x.sum(), x.max()), lambda: (x.mean(), x.min()))
    i = paddle.full([1], 0, "int64")
    ten = paddle.full([1], 4, "int64")
    state = paddle.full([2], 1.0)
    i, state = static.nn.while_loop(lambda i, s: i < ten, lambda i, s: [i + 1, s * x], [i, state])
    by_case = static.nn.case([(x[0] > 5.0, lambda: x + 1.0), (x[0] > 0.0, lambda: x + 2.0)], lambda: x + 3.0)
    index = static.data("index", [1], "int32")
    switched = static.nn.switch_case(index, {1: lambda: x * 10.0, 3: lambda: x * 30.0}, lambda: x * 0.0)
print(chosen.shape, state.shape)
executor = static.Executor()
wanted = [chosen, slope, *several, i, state, by_case, switched]
for values, number in (([1.0, 2.0], 1), ([-3.0, 2.0], 3), ([6.0, 0.5], 7)):
    feed = {"x": np.array(values, "float32"), "index": np.array([number], "int32")}
    print([np.round(one, 4).tolist() for one in executor.run(main, feed, wanted)])
paddle.disable_static()
