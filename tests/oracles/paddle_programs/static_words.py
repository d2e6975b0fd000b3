import warnings

import numpy as np
import paddle
import paddle.static as static

warnings.simplefilter("ignore")
paddle.enable_static()
main, startup = static.Program(), static.Program()
with static.program_guard(main, startup):
    x = static.data("x", [None, 2], "float32")
    out = static.nn.fc(x, 2, weight_attr=paddle.nn.initializer.Constant(1.0))
    loss = out.mean()
executor = static.Executor()
for words, asked in (
    ("bool", lambda: bool(loss > 0)),
    ("float", lambda: float(loss)),
    ("length", lambda: len(x)),
    ("attribute", lambda: x.nothing_of_the_kind),
    ("shapes", lambda: paddle.matmul(x, paddle.ones([3, 2]))),
    ("unstarted", lambda: executor.run(main, {"x": np.ones((1, 2), "float32")}, [loss])),
    ("started", lambda: executor.run(startup)),
    ("unfed", lambda: executor.run(main, {}, [loss])),
    ("shape", lambda: executor.run(main, {"x": np.ones((1, 3), "float32")}, [loss])),
    ("dtype", lambda: executor.run(main, {"x": np.ones((1, 2))}, [loss])),
    ("right", lambda: executor.run(main, {"x": np.ones((1, 2), "float32")}, [loss])),
):
    try:
        print(words, asked())
    except (TypeError, AttributeError, RuntimeError, KeyError, ValueError) as error:
        kinds = (TypeError, AttributeError, RuntimeError, KeyError, ValueError)
        print(words, [one.__name__ for one in kinds if isinstance(error, one)])
paddle.disable_static()
