"""Loops that are written as a block, conditions that a run must meet, and what is left of a program."""

import numpy as np
import paddle
from paddle.static.nn.control_flow import Assert

paddle.enable_static()
executor = paddle.static.Executor(paddle.CPUPlace())

i = paddle.full([1], 0, "int64")
n = paddle.static.data("n", [1], "int64")
data = paddle.static.data("data", [1], "float32")
total = paddle.full([1], 0.0, "float32")
product = paddle.full([1], 1.0, "float32")
going = paddle.less_than(i, n)
loop = paddle.static.nn.control_flow.While(cond=going)
with loop.block():
    i = paddle.increment(i, value=1)
    twice = paddle.add(data, data)
    paddle.assign(twice, total)
    paddle.assign(product * twice, product)
    data = paddle.add(data, data)
    paddle.assign(paddle.less_than(i, n), output=going)
after = product + 1.0
for count in (0, 1, 4):
    feed = {"n": np.array([count]), "data": np.ones(1, "float32")}
    print([one.tolist() for one in executor.run(feed=feed, fetch_list=[i, total, product, after, going])])

main = paddle.static.Program()
with paddle.static.program_guard(main):
    x = paddle.static.data("x", [None, 3], "float32")
    top = paddle.max(x)
    Assert(top < 2.0)
    y = x * 2.0
for value in (1.0, 3.0):
    try:
        print(executor.run(main, {"x": np.full((1, 3), value, "float32")}, [y])[0].tolist())
    except ValueError:
        print("refused")

main, startup = paddle.static.Program(), paddle.static.Program()
with paddle.static.program_guard(main, startup):
    image = paddle.static.data("image", [None, 4], "float32")
    label = paddle.static.data("label", [None, 1], "int64")
    scores = paddle.static.nn.fc(image, 3)
    loss = paddle.nn.functional.cross_entropy(scores, label)
executor.run(startup)
part = paddle.static.normalize_program(main, [image], [scores])
print(executor.run(part, {"image": np.zeros((2, 4), "float32")}, [scores])[0].tolist())

small = paddle.static.Program()
with paddle.static.program_guard(small):
    x = paddle.static.data("x", [2, 3], "float32")
    lengths = paddle.shape(x)
    drawn = paddle.tensor.random.uniform_random_batch_size_like(x, [5, 4])
print(executor.run(small, {"x": np.zeros((2, 3), "float32")}, [lengths]), list(drawn.shape))
with paddle.base.dygraph.guard():
    print(paddle.in_dynamic_mode(), paddle.ones([2]).tolist())
print(paddle.in_dynamic_mode())
