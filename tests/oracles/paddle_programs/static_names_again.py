"""Programs built one after another, whose parameters have the same names."""

import warnings

import numpy as np
import paddle

warnings.simplefilter("ignore")

paddle.enable_static()
start = paddle.nn.initializer.Constant
for width, value, dtype in ((3, 1.0, "float32"), (3, 2.0, "float32"), (2, 3.0, "float32"), (2, 4.0, "float64")):
    paddle.set_default_dtype(dtype)
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.utils.unique_name.guard(), paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [2, width], dtype)
        layer = paddle.nn.Linear(width, 1, weight_attr=start(value), bias_attr=start(-value))
        norm = paddle.nn.BatchNorm1D(1)
        y = layer(x)
        executor = paddle.static.Executor()
        executor.run(startup)
        fed = {"x": np.arange(2 * width, dtype=dtype).reshape(2, width)}
        found = executor.run(main, feed=fed, fetch_list=[y, norm(y)])
        print(layer.weight.name, found[0].tolist(), found[0].dtype, np.round(found[1], 3).tolist())
        executor.run(main, feed=fed, fetch_list=[y])
paddle.set_default_dtype("float32")
