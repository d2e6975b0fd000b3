"""Step Paddle's GradScaler along a loss that overflows: `tests/oracles/paddle_scaler.json`.

Usage, in an environment that has PaddlePaddle 3.3: python tools/record/paddle_scaler.py [--check]

Paddle disables the scaler on a processor. Its tracer is told here that it is on a graphics processor; the
kernels of the processor compute what the scaler asks for all the same.
"""

import sys
from types import SimpleNamespace

import paddle
from paddle.amp import grad_scaler
from paddle.amp.auto_cast import amp_global_state
from records import ORACLES, compare, write

elsewhere = SimpleNamespace(_expected_place=SimpleNamespace(is_gpu_place=lambda: True))
grad_scaler._dygraph_tracer = lambda: elsewhere
amp_global_state().amp_dtype = "float16"
# It prints the scale, an array of one element, as a number, which NumPy 2 no longer allows.
paddle.Tensor.__float__ = lambda self: float(self.numpy().reshape(-1)[0])

SLOPES = {7: float("inf"), 11: float("nan"), 12: float("inf")}
CASES = {
    "sgd": ("SGD", {}, {"incr_every_n_steps": 4}),
    "momentum": ("Momentum", {"momentum": 0.9}, {"incr_every_n_steps": 4, "decr_every_n_nan_or_inf": 2}),
    "adam": ("Adam", {}, {"incr_every_n_steps": 3, "incr_ratio": 4.0, "decr_ratio": 0.25}),
    "fixed": ("SGD", {}, {"use_dynamic_loss_scaling": False}),
}


def run(kind: str, options: dict, scaling: dict) -> list:
    """Return scale, counts and variables after each of twenty steps."""
    x = paddle.to_tensor([1.0, -2.0], stop_gradient=False)
    y = paddle.to_tensor(0.5, stop_gradient=False)
    optimizer = getattr(paddle.optimizer, kind)(learning_rate=0.05, parameters=[x, y], **options)
    scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0, **scaling)
    found = []
    for step in range(20):
        loss = (x * x).sum() * y * y * SLOPES.get(step, 1.0)
        scaler.scale(loss).backward()
        if step % 2:
            scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
        state = scaler.state_dict()
        scale = [float(state["scale"][0]), state["incr_count"], state["decr_count"]]
        found.append([*scale, *x.tolist(), float(y)])
    return found


if __name__ == "__main__":
    record = {
        "versions": {"paddle": paddle.__version__},
        "slopes": {str(step): str(slope) for step, slope in SLOPES.items()},
        "cases": {
            name: {
                "class": kind,
                "options": options,
                "scaling": scaling,
                "steps": run(kind, options, scaling),
            }
            for name, (kind, options, scaling) in CASES.items()
        },
    }
    path = ORACLES / "paddle_scaler.json"
    if "--check" in sys.argv:
        sys.exit(compare(path, record))
    write(path, record)
