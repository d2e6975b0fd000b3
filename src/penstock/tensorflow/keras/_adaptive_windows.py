"""Windows that begin and end where equal parts of an axis do, rounded outwards: pooling to a given size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.functions import array
from penstock.tensorflow._errors import ArgumentError
from penstock.trace.source_site import here


def sizes(name: str, output_size: Any, rank: int) -> tuple[int, ...]:
    """Returns how many elements a result has along each of its axes."""
    several = (output_size,) * rank if isinstance(output_size, int) else output_size
    if not isinstance(several, list | tuple) or len(several) != rank:
        words = ("an integer or", "an integer or (height, width)", "an integer or (depth, height, width)")
        raise SizeError(
            f"`output_size` must be {words[rank - 1]} tuple. Received: {output_size} of type "
            f"{type(output_size)}",
            remedy=f"Give {name} one number, or {rank} in a tuple.",
            site=here(),
        )
    return tuple(several)


def pooled(x: Any, counts: tuple[int, ...], pool: Callable[..., Any], data_format: str, name: str) -> Any:
    """Returns x with `counts` elements along its inner axes, each pooled from a window."""
    first = 1 if data_format == "channels_last" else 2

    def along(x: Any, place: int, length: int) -> Any:
        window = tuple(length if i == place else 1 for i in range(len(counts)))
        return pool(x, window, window, "valid", data_format)

    for place, count in enumerate(counts):
        axis = first + place
        length = x._spec.shape[axis]
        if not isinstance(length, int):
            raise ArgumentError(
                f"{name}: the length of axis {axis} is not known.",
                why="The windows follow from the length.",
                remedy="Give the input a shape: tf.keras.Input((8, 8, 3)).",
                site=here(),
            )
        if length % count == 0:
            x = along(x, place, length // count)
            continue
        before = (slice(None),) * axis
        parts = [
            x[(*before, slice(i * length // count, -((i + 1) * length // -count)))] for i in range(count)
        ]
        x = array.concat([along(one, place, one._spec.shape[axis]) for one in parts], axis=axis)
    return x


class SizeError(ArgumentError, TypeError):
    """A size of a result that is neither a number nor one for each axis."""
