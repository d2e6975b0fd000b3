import warnings

import numpy as np
import paddle
import paddle.static as static

warnings.simplefilter("ignore")
paddle.enable_static()
constant = paddle.nn.initializer.Constant
main, startup = static.Program(), static.Program()
with static.program_guard(main, startup):
    noise = static.data("noise", [None, 2])
    real = static.data("real", [None, 1])
    maker = paddle.nn.Linear(2, 1, weight_attr=paddle.ParamAttr(name="g_w", initializer=constant(0.4)))
    made = maker(noise)
    judge = paddle.nn.Linear(1, 1, weight_attr=paddle.ParamAttr(name="d_w", initializer=constant(0.7)))
    bce = paddle.nn.functional.binary_cross_entropy_with_logits
    fake_score, real_score = judge(made.detach()), judge(real)
    judge_loss = bce(real_score, paddle.ones_like(real_score)) + bce(
        fake_score, paddle.zeros_like(fake_score)
    )
    made_score = judge(made)
    maker_loss = bce(made_score, paddle.ones_like(made_score))
    judge_step = paddle.optimizer.SGD(0.1, parameters=judge.parameters())
    judge_step.minimize(judge_loss)
    maker_step = paddle.optimizer.Adam(0.05)
    maker_step.minimize(maker_loss, parameters=maker.parameters())
executor = static.Executor()
executor.run(startup)
rng = np.random.default_rng(3)
scope = static.global_scope()
for step in range(3):
    feed = {
        "noise": rng.normal(size=(4, 2)).astype("float32"),
        "real": rng.normal(2.0, 1.0, (4, 1)).astype("float32"),
    }
    print([round(float(one), 5) for one in executor.run(main, feed, [judge_loss, maker_loss])])
    for name in ("g_w", "linear_0.b_0", "d_w", "linear_1.b_0"):
        print(name, np.round(np.array(scope.find_var(name).get_tensor()).ravel(), 5))
paddle.disable_static()
