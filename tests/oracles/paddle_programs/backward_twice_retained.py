"""With retain_graph the graph stays."""

import paddle

x = paddle.to_tensor(3.0, stop_gradient=False)
y = x * x
y.backward(retain_graph=True)
y.backward(retain_graph=True)
y.backward()
print(x.grad)
