import warnings

import numpy as np
import paddle

warnings.simplefilter("ignore")
paddle.enable_static()
main, startup = paddle.static.Program(), paddle.static.Program()
with paddle.static.program_guard(main, startup):
    x = paddle.static.data("x", [None, 3], "float32")
    y = paddle.static.data("y", [None, 1], "float32")
    start = paddle.nn.initializer.Constant(0.1)
    hidden = paddle.static.nn.fc(x, 4, activation="relu", weight_attr=paddle.ParamAttr(initializer=start))
    prediction = paddle.static.nn.fc(hidden, 1, weight_attr=paddle.nn.initializer.Constant(0.2))
    loss = paddle.mean(paddle.nn.functional.square_error_cost(prediction, y))
    _, pairs = paddle.optimizer.SGD(learning_rate=0.1).minimize(loss)
print(x, x.shape, x.name, x.dtype, hidden.shape, loss.shape, len(pairs))
executor = paddle.static.Executor(paddle.CPUPlace())
print(executor.run(startup))
rng = np.random.default_rng(0)
for size in (2, 5, 2):
    feed = {"x": rng.normal(size=(size, 3)).astype("float32"), "y": np.ones((size, 1), "float32")}
    found = executor.run(main, feed=feed, fetch_list=[loss, prediction])
    print(np.round(found[0], 4), np.round(found[1].ravel(), 4))
scope = paddle.static.global_scope()
print(np.round(np.array(scope.find_var("fc_0.w_0").get_tensor()), 4))
print(np.round(np.array(scope.find_var("fc_1.b_0").get_tensor()), 4))
print(sorted(one.name for one, _ in pairs))
scope.find_var("fc_1.b_0").get_tensor().set(np.array([3.0], "float32"), paddle.CPUPlace())
print(np.round(executor.run(main, feed=feed, fetch_list=[prediction])[0].ravel(), 4))
print(paddle.in_dynamic_mode())
paddle.disable_static()
print(paddle.in_dynamic_mode(), paddle.to_tensor([1.0]) + 1)
