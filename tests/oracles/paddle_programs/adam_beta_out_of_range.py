"""A beta of one."""

import paddle

x = paddle.to_tensor([4.0], stop_gradient=False)
paddle.optimizer.Adam(0.1, beta1=1.0, parameters=[x])
