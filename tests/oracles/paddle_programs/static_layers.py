import warnings

import numpy as np
import paddle
import paddle.static as static

warnings.simplefilter("ignore")
paddle.enable_static()
constant = paddle.nn.initializer.Constant


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.first = paddle.nn.Linear(3, 4, weight_attr=constant(0.3))
        self.norm = paddle.nn.BatchNorm1D(4)
        self.rest = paddle.nn.Sequential(paddle.nn.ReLU(), paddle.nn.Linear(4, 2, weight_attr=constant(-0.2)))
        self.scale = self.create_parameter([2], default_initializer=constant(1.5))

    def forward(self, x):
        return self.rest(self.norm(self.first(x)) + 0.5) * self.scale


main, startup = static.Program(), static.Program()
with static.program_guard(main, startup):
    x = static.data("x", [-1, 3])
    net = Net()
    out = net(x)
    loss = (out**2).mean()
    rate = paddle.optimizer.lr.StepDecay(0.1, 2, 0.5)
    clip = paddle.nn.ClipGradByGlobalNorm(0.5)
    paddle.optimizer.Momentum(rate, 0.9, weight_decay=0.01, grad_clip=clip).minimize(loss)
print(out.shape, [one.name for one in net.parameters()])
executor = static.Executor()
executor.run(startup)
rng = np.random.default_rng(2)
batch = rng.normal(size=(5, 3)).astype("float32")
for step in range(5):
    print(np.round(executor.run(main, {"x": batch}, [loss])[0], 5), round(rate.get_lr(), 4))
    rate.step()
scope = static.global_scope()
for name in ("linear_0.w_0", "linear_1.b_0", "net_0.w_0", "batch_norm1d_0.w_1", "batch_norm1d_0.w_2"):
    print(name, np.round(np.array(scope.find_var(name).get_tensor()).ravel()[:3], 4))
paddle.disable_static()
