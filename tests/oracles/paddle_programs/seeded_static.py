"""Static programs: the startup program draws when it is run, and a program may have a seed of its own."""

import warnings

import numpy as np
import paddle

warnings.simplefilter("ignore")
paddle.enable_static()
feed = {"x": np.linspace(0.0, 1.0, 20, dtype="float32").reshape(5, 4)}
for seeds in ((0, 0), (0, 9), (9, 0), (9, 9)):
    paddle.seed(11)
    main, startup = paddle.static.Program(), paddle.static.Program()
    main.random_seed, startup.random_seed = seeds
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [None, 4], "float32")
        hidden = paddle.static.nn.fc(x, 6, activation="tanh")
        dropped = paddle.nn.functional.dropout(hidden, 0.5)
        loss = paddle.mean(paddle.nn.Linear(6, 1)(dropped) ** 2)
        paddle.optimizer.SGD(0.1).minimize(loss)
    if seeds == (0, 0):
        paddle.seed(5)
    executor = paddle.static.Executor()
    for _ in range(2):
        executor.run(startup)
        for _ in range(3):
            (found,) = executor.run(main, feed=feed, fetch_list=[loss])
            print(seeds, f"{float(found):.5f}")
paddle.disable_static()
