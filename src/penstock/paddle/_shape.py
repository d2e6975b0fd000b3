"""Shapes and places as Paddle shows them."""

from __future__ import annotations

import math
from typing import Any

from penstock.paddle._declaring import in_paddle


@in_paddle
class Size(list[int]):
    """A shape: a list of lengths that prints as `paddle.Size([2, 3])`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"paddle.Size({list(self)})"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list | tuple) and list(self) == list(other)

    __hash__ = None

    def numel(self) -> int:
        """Returns the number of elements."""
        return math.prod(self)

    def __getitem__(self, key: Any) -> Any:
        found = list.__getitem__(self, key)
        return Size(found) if isinstance(found, list) else found

    def __add__(self, other: Any) -> Any:
        return Size([*self, *other])


class TensorSize(int):
    """The number of a tensor's elements; called, as `x.size()` or `x.size(0)`, it gives lengths of axes."""

    _lengths: tuple[int, ...]

    def __new__(cls, count: int, lengths: tuple[int, ...] = ()) -> TensorSize:
        found = int.__new__(cls, count)
        found._lengths = lengths
        return found

    def __call__(self, dim: int | None = None) -> Any:
        """Returns the shape, or the length of one axis."""
        return Size(self._lengths) if dim is None else list(self._lengths)[dim]


@in_paddle
class CPUPlace:
    """Where tensors are. There is one place: arrays are put on an accelerator by XLA where there is one."""

    def __repr__(self) -> str:
        return "Place(cpu)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CPUPlace)

    def __hash__(self) -> int:
        return hash("cpu")

    def _equals(self, other: object) -> bool:
        return self == other

    def is_cpu_place(self) -> bool:
        """Returns True."""
        return True

    def is_gpu_place(self) -> bool:
        """Returns False."""
        return False

    is_cuda_pinned_place = is_xpu_place = is_xpu_pinned_place = is_ipu_place = is_custom_place = is_gpu_place

    def gpu_device_id(self) -> int:
        """Returns 0, as of any place that is no device of this kind."""
        return 0

    xpu_device_id = ipu_device_id = custom_device_id = gpu_device_id

    def custom_device_type(self) -> str:
        """Returns "": it is none."""
        return ""

    def set_place(self, place: Any) -> None:
        """Does nothing: there is one place, whichever `place` is given."""


@in_paddle
class CUDAPlace(CPUPlace):
    """A place that programs name; whichever `id` it has, arrays are where XLA puts them."""

    def __init__(self, id: int = 0) -> None:
        pass


@in_paddle
class CUDAPinnedPlace(CPUPlace):
    """Another place that programs name."""


PLACE = CPUPlace()
