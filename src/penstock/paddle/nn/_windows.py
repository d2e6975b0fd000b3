"""The common part of functions with sliding windows: formats, Paddle's notation of padding, and checks."""

from __future__ import annotations

from typing import Any

from penstock.paddle._convert import integers_in
from penstock.paddle._errors import InvalidValueError
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

FORMATS = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}
_Pairs = tuple[tuple[int, int], ...]


def channels_last(name: str, data_format: str, rank: int) -> bool:
    """Returns whether a format has the channels at its end; raises ValueError for one that is not known."""
    if data_format not in FORMATS[rank]:
        first, last = FORMATS[rank]
        raise InvalidValueError(
            f"Attr(data_format) of {name} should be '{first}' or '{last}'. Received "
            f"Attr(data_format): {data_format}.",
            site=here(),
        )
    return data_format == FORMATS[rank][1]


def plain(value: Any) -> Any:
    """Returns an argument with its lists as tuples, so that it can be looked up, and tensors as numbers."""
    return integers_in(value)


def padding_of(name: str, padding: Any, rank: int, last: bool) -> Any:
    """Returns padding as a word, or as a pair (before, after) for each spatial axis.

    Paddle takes "SAME", "VALID", one number, one for each axis, two for each axis in a row, or a pair for
    every axis of the input, its batch and its channels included.
    """
    if isinstance(padding, str):
        if padding.upper() not in ("SAME", "VALID"):
            raise InvalidValueError(
                f"Unknown padding: '{padding}'. It can only be 'SAME' or 'VALID'.", site=here()
            )
        return padding.lower()
    if isinstance(padding, int):
        return ((padding, padding),) * rank
    several = tuple(padding)
    if several and all(isinstance(one, tuple) for one in several) and len(several) == rank + 2:
        outer = (several[0], several[-1 if last else 1])
        if any(any(pair) for pair in outer):
            raise InvalidValueError(
                f"Non-zero padding({list(several)}) in the batch or channel dimensions is not supported.",
                site=here(),
            )
        return several[1:-1] if last else several[2:]
    if all(isinstance(one, int) for one in several):
        if len(several) == rank:
            return tuple((one, one) for one in several)
        if len(several) == 2 * rank:
            return tuple(zip(several[::2], several[1::2], strict=True))
    raise InvalidValueError(
        f"{name}: padding is {padding!r}.",
        remedy=f"Give 'SAME', 'VALID', a number, {rank} of them, or {2 * rank}: before and after each axis.",
        site=here(),
    )


def rank_is(name: str, x: Tensor, rank: int) -> None:
    if x.ndim != rank + 2:
        raise InvalidValueError(
            f"The input of {name} should be a {rank + 2}-D Tensor, but received a {x.ndim}-D Tensor of shape "
            f"{list(x.shape)}.",
            remedy="Add the missing axis: x.unsqueeze(0) for a batch of one.",
            site=here(),
        )
