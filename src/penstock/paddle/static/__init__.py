"""Static programs: calls are written down once, and an `Executor` makes them in each run."""

from __future__ import annotations

from typing import Any

from penstock.paddle._dtype import numpy_dtype, shown
from penstock.paddle._names import namespace as _namespace


class InputSpec:
    """The shape, dtype and name of an input; None or -1 in the shape means any length.

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


_REST = "_building _helpers _kinds _program _running _saving _scope _training _variable nn"
__getattr__, __dir__, _public = _namespace(
    "paddle.static",
    globals(),
    rest=" ".join(f"static.{one}" for one in _REST.split()),
    later={__name__: "amp log_helper nn"},
)
_public += ["nn"]
