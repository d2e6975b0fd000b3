# PS206 judge
import paddle
from paddle import nn

paddle.seed(0)

judge = paddle.create_parameter([1], "float32", default_initializer=nn.initializer.Constant(2.0))
maker = paddle.create_parameter([1], "float32", default_initializer=nn.initializer.Constant(1.0))
for_judge = paddle.optimizer.SGD(0.1, parameters=[judge])
for_maker = paddle.optimizer.SGD(0.1, parameters=[maker])
for _ in range(3):
    verdict = (judge * maker).sum()
    (verdict**2).backward(retain_graph=True)
    for_judge.step()  # wrong
    (-verdict).backward()
    for_judge.step()  # right
    for_maker.step()
    for_judge.clear_grad()
    for_maker.clear_grad()
