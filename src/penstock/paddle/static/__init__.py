"""Static programs: calls are written down once, and an `Executor` makes them in each run."""

from __future__ import annotations

import importlib
from typing import Any

from penstock.paddle._dtype import numpy_dtype, shown
from penstock.paddle._names import absent


class InputSpec:
    """The shape, dtype and name of an input; None or -1 in the shape stands for any length.

    >>> from penstock import paddle
    >>> paddle.static.InputSpec([None, 784], "float32", "x")
    InputSpec(shape=(-1, 784), dtype=paddle.float32, name=x, stop_gradient=False)
    """

    def __init__(
        self, shape: Any, dtype: Any = "float32", name: str | None = None, stop_gradient: bool = False
    ) -> None:
        self.shape = tuple(-1 if one is None else int(one) for one in shape)
        self.dtype = shown(numpy_dtype(dtype))
        self.name, self.stop_gradient = name, stop_gradient

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> InputSpec:
        """Returns the description of a tensor."""
        return cls(tensor.shape, tensor.dtype, name or tensor.name)

    @classmethod
    def from_numpy(cls, ndarray: Any, name: str | None = None) -> InputSpec:
        """Returns the description of an array."""
        return cls(ndarray.shape, ndarray.dtype, name)

    def batch(self, batch_size: int) -> InputSpec:
        """Puts an axis of this length first; returns the description."""
        self.shape = (int(batch_size), *self.shape)
        return self

    def unbatch(self) -> InputSpec:
        """Takes the first axis away; returns the description."""
        self.shape = self.shape[1:]
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InputSpec) and (self.shape, self.dtype, self.name) == (
            other.shape,
            other.dtype,
            other.name,
        )

    def __hash__(self) -> int:
        return hash((self.shape, str(self.dtype), self.name))

    def __repr__(self) -> str:
        return (
            f"InputSpec(shape={self.shape}, dtype={self.dtype}, name={self.name}, "
            f"stop_gradient={self.stop_gradient})"
        )


_LATER = {
    "_building": ("create_global_var", "data"),
    "_program": (
        "Program", "default_main_program", "default_startup_program", "device_guard", "name_scope",
        "program_guard",
    ),
    "_running": ("BuildStrategy", "CompiledProgram", "ExecutionStrategy", "Executor"),
    "_saving": (
        "load", "load_inference_model", "load_program_state", "normalize_program", "save",
        "save_inference_model", "set_program_state",
    ),
    "_scope": ("Scope", "global_scope", "scope_guard"),
    "_training": ("append_backward", "gradients"),
    "_variable": ("Variable",),
    "log_helper": (),
    "nn": ("py_func",),
    "_helpers": (
        "ExponentialMovingAverage", "Print", "accuracy", "cpu_places", "create_parameter", "cuda_places",
        "xpu_places",
    ),
}  # fmt: skip
"""Names of static programs, by the module that has them: it is imported when one is asked for."""
__all__ = ["InputSpec", *(name for names in _LATER.values() for name in names), "nn"]


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name in names or name == module in ("log_helper", "nn"):
            found = importlib.import_module(f"penstock.paddle.static.{module}")
            return found if name == module else getattr(found, name)
    raise absent("paddle.static", name, __all__)
