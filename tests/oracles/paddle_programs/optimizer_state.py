"""What optimizers call their state, and the powers of betas."""

import paddle

for kind, names in (
    (paddle.optimizer.Momentum, ["velocity_0"]),
    (paddle.optimizer.Adam, ["moment1_0", "moment2_0", "beta1_pow_acc_0", "beta2_pow_acc_0"]),
    (paddle.optimizer.Adagrad, ["moment_0"]),
    (paddle.optimizer.RMSProp, ["mean_square_0"]),
    (paddle.optimizer.Adadelta, ["_avg_squared_grad_0", "_avg_squared_update_0"]),
    (paddle.optimizer.Adamax, ["moment_0", "inf_norm_0", "beta1_pow_acc_0"]),
    (paddle.optimizer.NAdam, ["moment1_0", "mu_product_0", "momentum_decay_pow_0", "beta2_pow_0"]),
    (paddle.optimizer.Lamb, ["moment1_0", "beta1_pow_acc_0"]),
):
    x = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(4.0))
    optimizer = kind(0.1, parameters=[x])
    for _ in range(3):
        (x * x).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    state = optimizer.state_dict()
    print(kind.__name__, [round(state[f"{x.name}_{name}"].flatten()[0].item(), 5) for name in names])
