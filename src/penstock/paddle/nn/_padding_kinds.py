"""Layers that add entries around their input, one for each way and rank."""

from __future__ import annotations

from typing import Any

from penstock.paddle._declaring import in_nn
from penstock.paddle.nn._padding import _Pad

_FORMATS = ("NCL", "NCHW", "NCDHW")


def _constant(rank: int) -> Any:
    def __init__(
        self: Any, padding: Any, value: float, data_format: str = _FORMATS[rank - 1], name: Any = None
    ) -> None:
        _Pad.__init__(self, padding, "constant", value, data_format)

    return _made("ConstantPad", rank, __init__, "Entries of one value")


def _of_its_own(start: str, mode: str, rank: int, what: str) -> Any:
    def __init__(self: Any, padding: Any, data_format: str = _FORMATS[rank - 1], name: Any = None) -> None:
        _Pad.__init__(self, padding, mode, 0.0, data_format)

    return _made(start, rank, __init__, what)


def _made(start: str, rank: int, begun: Any, what: str) -> Any:
    places = ("sequences", "images", "volumes")[rank - 1]
    members = {
        "__init__": begun, "__doc__": f"{what}, added around {places}.", "__module__": __name__,
        "_axes": rank, "_format": _FORMATS[rank - 1],
    }  # fmt: skip
    return in_nn(f"{start}{rank}d")(type(f"{start}{rank}D", (_Pad,), members))


ConstantPad1D, ConstantPad2D, ConstantPad3D = (_constant(rank) for rank in (1, 2, 3))
ReflectionPad1D, ReflectionPad2D, ReflectionPad3D = (
    _of_its_own("ReflectionPad", "reflect", rank, "Entries mirrored at the border") for rank in (1, 2, 3)
)
ReplicationPad1D, ReplicationPad2D, ReplicationPad3D = (
    _of_its_own("ReplicationPad", "replicate", rank, "Entries of the border") for rank in (1, 2, 3)
)
CircularPad1D, CircularPad2D, CircularPad3D = (
    _of_its_own("CircularPad", "circular", rank, "Entries from the other side") for rank in (1, 2, 3)
)
