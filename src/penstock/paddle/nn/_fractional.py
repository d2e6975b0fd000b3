"""Pooling over parts of unequal lengths, whose borders one random number moves (Graham, 2014)."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.paddle import _creation
from penstock.paddle._convert import integers_in, operand
from penstock.paddle._declaring import in_functional, in_nn
from penstock.paddle._errors import InvalidValueError
from penstock.paddle.nn._layer import Standard as Layer
from penstock.paddle.nn._pooling import largest_with_places
from penstock.trace.source_site import here


def _parts(length: int, count: int, window: int, shift: float) -> list[range]:
    """Returns the parts of an axis, in the single precision in which Paddle works them out."""
    alpha = np.float32(length - window) / np.float32(count - (1 if window else 0))
    u = np.float32(shift)
    if not window:
        base = length // count
        u *= min(
            np.float32(base + 2) / alpha - np.float32(1),
            np.float32(length + 1 - base) / alpha - np.float32(count - 1),
        )

    def place(index: int) -> int:
        return int((np.float32(index) + u) * alpha) - int(u * alpha)

    return [
        range(max(place(i), 0), min(place(i) + window if window else place(i + 1), length))
        for i in range(count)
    ]


def _pooled(
    name: str, x: Any, rank: int, output_size: Any, kernel_size: Any, random_u: Any, return_mask: bool
) -> Any:
    x = operand(x)

    def several(value: Any) -> tuple[Any, ...]:
        value = integers_in(value)
        return (value,) * rank if value is None or isinstance(value, int) else tuple(value)

    if random_u is not None and not 0.0 < random_u < 1.0:
        raise InvalidValueError(
            f"{name}: The param `random_u` should be a `float` in (0, 1), but is {random_u}.", site=here()
        )
    if random_u is None:
        random_u = float(_creation.rand([1]))
    own = x._spec.shape[2:]
    counts = [n if m is None else m for n, m in zip(own, several(output_size), strict=True)]
    sizes = [0 if one is None else one for one in several(kernel_size)]
    for n, m, k in zip(own, counts, sizes, strict=True):
        if n < m + max(k - 1, 0):
            raise InvalidValueError(
                f"{name}: an axis of {n} elements has no {m} parts of {k or 1} or more.", site=here()
            )
    ranges = [_parts(n, m, k, random_u) for n, m, k in zip(own, counts, sizes, strict=True)]
    found = largest_with_places(x, ranges)
    return found if return_mask else found[0]


@in_functional
def fractional_max_pool2d(
    x: Any, output_size: Any, kernel_size: Any = None, random_u: float | None = None,
    return_mask: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the largest elements of parts of x [N, C, H, W]; `random_u` or a draw moves borders."""
    return _pooled("fractional_max_pool2d", x, 2, output_size, kernel_size, random_u, return_mask)


@in_functional
def fractional_max_pool3d(
    x: Any, output_size: Any, kernel_size: Any = None, random_u: float | None = None,
    return_mask: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the largest elements of parts of x [N, C, D, H, W]; `random_u` or a draw moves borders."""
    return _pooled("fractional_max_pool3d", x, 3, output_size, kernel_size, random_u, return_mask)


@in_nn
class FractionalMaxPool2D(Layer):
    """The function `fractional_max_pool2d` as a layer."""

    _function = staticmethod(fractional_max_pool2d)

    def __init__(
        self, output_size: Any, kernel_size: Any = None, random_u: float | None = None,
        return_mask: bool = False, name: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._output_size, self._kernel_size = output_size, kernel_size
        self._random_u, self._return_mask = random_u, return_mask

    def forward(self, x: Any) -> Any:
        """Returns the largest elements, and with `return_mask` their places."""
        given = (self._output_size, self._kernel_size, self._random_u, self._return_mask)
        return type(self)._function(x, *given)

    def extra_repr(self) -> str:
        """Returns the arguments."""
        return f"output_size={self._output_size}, return_mask={self._return_mask}"


@in_nn
class FractionalMaxPool3D(FractionalMaxPool2D):
    """The function `fractional_max_pool3d` as a layer."""

    _function = staticmethod(fractional_max_pool3d)
