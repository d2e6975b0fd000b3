"""Note what Paddle's amp.decorate casts: `tests/oracles/paddle_decorate.json`.

Usage, in an environment that has PaddlePaddle 3.3: python tools/record/paddle_decorate.py [--check]

Paddle decorates nothing on a processor. It is told here that it is on a graphics processor; what it casts
does not depend on that.
"""

import sys
from types import SimpleNamespace

import paddle
from records import ORACLES, compare, write

elsewhere = SimpleNamespace(
    is_gpu_place=lambda: True, is_xpu_place=lambda: False, is_custom_place=lambda: False
)
casting = sys.modules["paddle.amp.auto_cast"]
casting._dygraph_tracer = lambda: SimpleNamespace(_expected_place=elsewhere)
casting._is_gpu_float16_supported = casting._is_gpu_bfloat16_supported = lambda: True

CASES = {
    "float16": {"dtype": "float16"},
    "bfloat16": {"dtype": "bfloat16"},
    "saved in float32": {"dtype": "bfloat16", "save_dtype": "float32"},
    "a layer left out": {"dtype": "bfloat16", "excluded_layers": "layer"},
    "a class left out": {"dtype": "float16", "excluded_layers": "class"},
    "level O1": {"level": "O1"},
}


def run(options: dict) -> dict:
    """Return the dtypes of what a decorated model holds, and of what it saves."""
    inner = paddle.nn.Sequential(paddle.nn.Linear(3, 3), paddle.nn.GroupNorm(1, 3))
    model = paddle.nn.Sequential(
        paddle.nn.Linear(2, 3),
        paddle.nn.BatchNorm1D(3),
        paddle.nn.LayerNorm(3),
        paddle.nn.Embedding(4, 3),
        inner,
    )
    model.register_buffer("table", paddle.ones([2]))
    model.register_buffer("count", paddle.ones([2], "int64"))
    left_out = {"layer": inner, "class": [paddle.nn.Linear]}
    given = {name: left_out.get(value, value) for name, value in options.items()}
    held = dict(model.state_dict())
    decorated = paddle.amp.decorate(model, **{"level": "O2", **given})
    assert decorated is model
    return {
        "held": {name: one.dtype.name.lower() for name, one in held.items()},
        "saved": {name: one.dtype.name.lower() for name, one in model.state_dict().items()},
    }


if __name__ == "__main__":
    record = {
        "versions": {"paddle": paddle.__version__},
        "cases": {name: {"options": options, **run(options)} for name, options in CASES.items()},
    }
    path = ORACLES / "paddle_decorate.json"
    if "--check" in sys.argv:
        sys.exit(compare(path, record))
    write(path, record)
