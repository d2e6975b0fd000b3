import warnings

import numpy as np
import paddle
import paddle.static as static

warnings.simplefilter("ignore")
paddle.enable_static()
constant = paddle.nn.initializer.Constant
startup = static.Program()
with static.program_guard(static.Program(), startup):
    maker = paddle.nn.Linear(2, 1, weight_attr=paddle.ParamAttr(name="g_w", initializer=constant(0.4)))
    judge = paddle.nn.Linear(1, 1, weight_attr=paddle.ParamAttr(name="d_w", initializer=constant(0.7)))
bce = paddle.nn.functional.binary_cross_entropy_with_logits
judging, making = static.Program(), static.Program()
with static.program_guard(judging, startup):
    noise, real = static.data("noise", [None, 2]), static.data("real", [None, 1])
    made = maker(noise).detach()
    fake_score, real_score = judge(made), judge(real)
    judge_loss = bce(real_score, paddle.ones_like(real_score)) + bce(
        fake_score, paddle.zeros_like(fake_score)
    )
    paddle.optimizer.SGD(0.1, parameters=judge.parameters()).minimize(judge_loss)
with static.program_guard(making, startup):
    score = judge(maker(static.data("noise", [None, 2])))
    maker_loss = bce(score, paddle.ones_like(score))
    paddle.optimizer.Adam(0.05).minimize(maker_loss, parameters=maker.parameters())
executor = static.Executor()
executor.run(startup)
rng = np.random.default_rng(3)
scope = static.global_scope()
for step in range(3):
    noise = rng.normal(size=(4, 2)).astype("float32")
    real = rng.normal(2.0, 1.0, (4, 1)).astype("float32")
    print(executor.run(judging, {"noise": noise, "real": real}, [judge_loss])[0].round(5))
    print(executor.run(making, {"noise": noise}, [maker_loss])[0].round(5))
    for name in ("g_w", "linear_0.b_0", "d_w", "linear_1.b_0"):
        print(name, np.round(np.array(scope.find_var(name).get_tensor()).ravel(), 5))
paddle.disable_static()
