"""A program in which data is declared again under its name, and functions that end in `_`."""

import warnings

import numpy as np
import paddle

warnings.simplefilter("ignore")
paddle.enable_static()
executor = paddle.static.Executor()
x = paddle.static.data("x", [2], "float32")
twice = x * 2.0
again = paddle.static.data("x", [2], "float32")
fed = {"x": np.array([1.0, 2.0], "float32")}
print([one.tolist() for one in executor.run(feed=fed, fetch_list=[twice, again * 3.0])])
longer = paddle.static.data("x", [3], "float32")
print(executor.run(feed={"x": np.ones(3, "float32")}, fetch_list=[longer + 1.0])[0].tolist())
y = longer * 1.5
made = [y.scale_(2.0), y.exp_(), y.subtract_(paddle.ones([3])), y.clip_(0.0, 0.5), y.reshape_([1, 3])]
for one in executor.run(feed={"x": np.ones(3, "float32")}, fetch_list=[y, *made]):
    print(np.round(one, 5).tolist())
for name in ("fill_", "zero_"):
    print(hasattr(y, name))
table = paddle.static.data("table", [2, 2], "float32")
places = paddle.static.data("places", [1, 2], "int64")
put = paddle.Tensor.put_along_axis_(table, places, paddle.ones([1, 2]), 0)
fed = {"x": np.ones(3, "float32"), "table": np.zeros((2, 2), "float32"), "places": np.array([[0, 1]])}
print(executor.run(feed=fed, fetch_list=[put])[0].tolist())
