import os
import tempfile
import warnings

import numpy as np
import paddle
import paddle.static as static

warnings.simplefilter("ignore")
paddle.enable_static()
main, startup = static.Program(), static.Program()
with static.program_guard(main, startup):
    ids = static.data("ids", [None, 3], "int64")
    start = paddle.ParamAttr(name="table", initializer=paddle.nn.initializer.Constant(0.2))
    mean = paddle.mean(paddle.nn.Embedding(5, 2, weight_attr=start)(ids), axis=1)
    out = static.nn.fc(mean, 2, activation="tanh", weight_attr=paddle.nn.initializer.Constant(0.3))
    loss = paddle.sum(out * paddle.to_tensor([1.0, -2.0]))
    paddle.optimizer.Adam(0.1).minimize(loss)
executor = static.Executor()
executor.run(startup)
feed = {"ids": np.array([[0, 1, 1], [4, 0, 2]])}
for step in range(2):
    print([np.round(one, 5).tolist() for one in executor.run(main, feed, [loss, out])])
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model")
    static.save(main, path)
    print(os.path.exists(path + ".pdparams"), os.path.exists(path + ".pdopt"))
    after = executor.run(main, feed, [loss])
    print(np.round(after[0], 4))
    static.load(main, path, executor)
    again = executor.run(main, feed, [loss])
    print(np.allclose(again[0], after[0]))
print(np.array(static.global_scope().find_var("table").get_tensor()).shape)
apart = static.Scope()
with static.scope_guard(apart):
    executor.run(startup)
    print(np.array(static.global_scope().find_var("table").get_tensor())[3])
print(np.round(np.array(static.global_scope().find_var("table").get_tensor())[0], 4))
paddle.disable_static()
