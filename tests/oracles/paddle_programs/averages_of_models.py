"""Averages of parameters over windows of steps, in the dynamic mode and in a static program."""

import warnings

import numpy as np
import paddle

# Paddle warns of its own operations.
warnings.simplefilter("ignore", DeprecationWarning)
warnings.simplefilter("ignore", UserWarning)

constant = paddle.nn.initializer.Constant
w = paddle.create_parameter([2], "float32", default_initializer=constant(1.0))
idle = paddle.create_parameter([1], "float32", default_initializer=constant(3.0))
optimizer = paddle.optimizer.Momentum(0.1, parameters=[w, idle])
average = paddle.incubate.ModelAverage(0.3, parameters=[w, idle], min_average_window=2, max_average_window=4)
for step in range(12):
    loss = ((w * paddle.to_tensor([1.0, 3.0]) - 0.3) ** 2).sum()
    if step > 3:
        loss = loss + (idle * idle).sum()
    loss.backward()
    optimizer.step()
    average.step()
    optimizer.clear_grad()
    average.clear_grad()
    if step in (0, 1, 2, 3, 6, 11):
        with average.apply():
            print(step, w.tolist(), idle.tolist())
        print(w.tolist(), idle.tolist())
with average.apply(need_restore=False):
    print(w.tolist())
print(w.tolist())
average.restore()
print(w.tolist())
average.minimize(loss)
with average.apply():
    print(w.tolist())

try:
    paddle.incubate.ModelAverage(0.3)
except Exception as error:
    print(type(error).__name__, error)

paddle.enable_static()
program, startup = paddle.static.Program(), paddle.static.Program()
with paddle.static.program_guard(program, startup):
    x = paddle.static.data("x", [None, 2])
    weight = paddle.static.create_parameter([2, 1], "float32", default_initializer=constant(0.5))
    loss = paddle.mean((paddle.matmul(x, weight) - 1.0) ** 2)
    paddle.optimizer.SGD(0.1).minimize(loss)
    average = paddle.incubate.ModelAverage(0.5, min_average_window=2, max_average_window=3)
executor = paddle.static.Executor()
executor.run(startup)
rows = np.array([[1.0, 2.0], [0.5, -1.0]], "float32")
for step in range(6):
    found = executor.run(program, {"x": rows * (1 + step / 10)}, [loss, weight])
    print(*(one.tolist() for one in found))
held = paddle.static.global_scope().find_var(weight.name).get_tensor()
with average.apply(executor):
    print(np.array(held).tolist())
print(np.array(held).tolist())
try:
    average.restore()
except RuntimeError as error:
    print(error)
paddle.disable_static()
