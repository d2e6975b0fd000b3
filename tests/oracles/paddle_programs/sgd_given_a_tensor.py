"""An optimizer needs a list."""

import paddle

x = paddle.to_tensor([1.0], stop_gradient=False)
paddle.optimizer.SGD(learning_rate=0.1, parameters=x)
