"""Ragged tensors of nested lists, and of numbers that are counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._convert import as_array, constant, tensor_of
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._ragged.partition import of_lengths
from penstock.tensorflow._ragged.tensor import RaggedTensor, cut_again, made, nested
from penstock.tensorflow._strings import StringTensor, is_text, strings
from penstock.trace.source_site import here


@named("tf.ragged.constant")
def constant_of(
    pylist: Any, dtype: Any = None, ragged_rank: Any = None, inner_shape: Any = None, name: Any = None,
    row_splits_dtype: Any = "int64",
) -> Any:  # fmt: skip
    """Returns a ragged tensor of nested lists, all of whose scalars are nested equally deep.

    All axes but the first are cut into rows, unless `ragged_rank` says how many, or `inner_shape` how long
    those behind are.

    >>> from penstock import tensorflow as tf
    >>> tf.ragged.constant([[1, 2], [3]])
    <tf.RaggedTensor [[1, 2], [3]]>
    """
    if not _is_list(pylist):
        if ragged_rank is not None and ragged_rank != 0:
            raise ArgumentError(
                f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}", site=here()
            )
        return constant(pylist, dtype)
    depths = set(_scalar_depths(pylist, 0))
    deepest = _depth(pylist)
    if len(depths) > 1:
        raise ArgumentError("all scalar values must have the same nesting depth", site=here())
    if depths and deepest > max(depths):
        raise ArgumentError(
            f"Invalid pylist={pylist!r}: empty list nesting is greater than scalar value nesting", site=here()
        )
    if deepest == 1 and ragged_rank is None and inner_shape is None:
        return constant(pylist, dtype)
    rank, shape = _measured(pylist, deepest, depths, ragged_rank, inner_shape)
    if rank == 0:
        return constant(pylist, dtype)
    wanted = numpy_dtype(row_splits_dtype)
    cuts = []
    level: list[Any] = list(pylist)
    for _ in range(rank):
        cuts.append(of_lengths([len(one) for one in level], wanted))
        level = [part for one in level for part in one]
    return nested(_values(level, dtype, shape, pylist), cuts)


def _is_list(one: Any) -> bool:
    return isinstance(one, list | tuple) or (isinstance(one, np.ndarray) and one.ndim > 0)


def _scalar_depths(one: Any, depth: int) -> list[int]:
    if not _is_list(one):
        return [depth]
    return [found for part in one for found in set(_scalar_depths(part, depth + 1))]


def _depth(one: Any) -> int:
    if not _is_list(one):
        return 0
    return 1 + max((_depth(part) for part in one), default=0)


def _measured(
    pylist: Any, deepest: int, depths: set[int], ragged_rank: Any, inner_shape: Any
) -> tuple[int, tuple[int, ...]]:
    """Returns how many axes are cut into rows, and the shape of the elements in the innermost rows."""
    if inner_shape is not None:
        shape = tuple(int(n) for n in np.reshape(inner_shape, -1))
        rank = max(1, deepest - 1 - len(shape)) if ragged_rank is None else int(ragged_rank)
        if ragged_rank is not None and deepest > rank + len(shape) + 1:
            raise ArgumentError(
                f"Invalid pylist={pylist!r}: incompatible with inner_shape={shape} and ragged_rank={rank}",
                site=here(),
            )
        return rank, shape
    rank = max(1, deepest - 1) if ragged_rank is None else int(ragged_rank)
    if rank < 0 or (depths and rank >= max(depths)):
        raise ArgumentError(
            f"pylist has scalar values depth {deepest}, but ragged_rank={rank} requires scalar value depth "
            f"greater than {rank}",
            site=here(),
        )
    level = list(pylist)
    for _ in range(rank):
        level = [part for one in level for part in one]
    shapes = {_shape(one, pylist) for one in level}
    if len(shapes) > 1:
        raise ArgumentError("inner values have inconsistent shape", site=here())
    return rank, shapes.pop() if shapes else ()


def _shape(one: Any, whole: Any) -> tuple[int, ...]:
    if not _is_list(one):
        return ()
    inner = {_shape(part, whole) for part in one}
    if len(inner) > 1:
        raise ArgumentError("inner values have inconsistent shape", site=here())
    return (len(one), *(inner.pop() if inner else ()))


def _values(level: list[Any], dtype: Any, shape: tuple[int, ...], pylist: Any) -> Any:
    scalars = level
    for _ in shape:
        scalars = [part for one in scalars for part in one]
    texts = [is_text(one) for one in scalars]
    if dtype == "string" or (scalars and all(texts)):
        if not all(texts):
            raise _mixed(scalars)
        return StringTensor(np.asarray(strings(np.array([*scalars, b""], object)[:-1])).reshape(-1, *shape))
    if any(texts):
        raise _mixed(scalars)
    wanted = None if dtype is None else numpy_dtype(dtype)
    if not scalars:
        own = np.dtype(np.float32) if wanted is None else wanted
        count = len(level)
        return constant(np.zeros((count, *shape), own))
    given = [
        one.item() if isinstance(one, np.generic) and _of_arrays(pylist) is None else one for one in scalars
    ]
    array = as_array(given, wanted)
    own = _of_arrays(pylist)
    if wanted is None and own is not None:
        array = np.asarray(array).astype(own)
    return tensor_of(np.asarray(array).reshape(-1, *shape))


def _of_arrays(one: Any) -> Any:
    """Returns the dtype of the first array among nested lists, or None."""
    if isinstance(one, np.ndarray) and one.dtype != object:
        return one.dtype
    if _is_list(one):
        return next((found for part in one if (found := _of_arrays(part)) is not None), None)
    return None


def _mixed(scalars: Sequence[Any]) -> ArgumentError:
    return ArgumentError("Can't convert Python sequence with mixed types to Tensor.", site=here())


@named("tf.ragged.range")
def counted(
    starts: Any, limits: Any = None, deltas: Any = 1, dtype: Any = None, name: Any = None,
    row_splits_dtype: Any = "int64",
) -> Any:  # fmt: skip
    """Returns rows of evenly spaced numbers: from each start up to, not including, its limit.

    >>> from penstock import tensorflow as tf
    >>> tf.ragged.range([0, 5], [3, 7])
    <tf.RaggedTensor [[0, 1, 2], [5, 6]]>
    """
    if limits is None:
        starts, limits = 0, starts
    for one in (starts, limits, deltas):
        if isinstance(one, RaggedTensor):
            inner = [
                part.flat_values if isinstance(part, RaggedTensor) else part
                for part in (starts, limits, deltas)
            ]
            found = counted(inner[0], inner[1], inner[2], dtype, name, row_splits_dtype)
            return made(found, one._partition) if one.ragged_rank == 1 else cut_again(one, found)
    given = [np.asarray(tensor_of(one).numpy()) for one in (starts, limits, deltas)]
    wanted = np.result_type(*[one.dtype for one in _deciding(given, (starts, limits, deltas))])
    wanted = wanted if dtype is None else numpy_dtype(dtype)
    shape = np.broadcast_shapes(*(one.shape for one in given))
    if len(shape) > 1:
        raise ArgumentError("starts, limits and deltas must be scalars or vectors.", site=here())
    first, last, step = (np.broadcast_to(one, shape or (1,)) for one in given)
    if (step == 0).any():
        raise InvalidArgumentError("Requires delta != 0", site=here())
    lengths = np.maximum(0, np.ceil((last.astype(float) - first) / step)).astype(np.int64)
    cut = of_lengths(lengths, numpy_dtype(row_splits_dtype))
    column = np.arange(cut.values) - np.repeat(cut.starts, lengths)
    numbers = np.repeat(first, lengths) + column * np.repeat(step, lengths)
    return made(constant(numbers.astype(wanted)), cut)


def _deciding(arrays: list[Any], given: Sequence[Any]) -> list[Any]:
    """Returns the arrays that decide on the dtype: those given as tensors, else all."""
    tensors = [a for a, one in zip(arrays, given, strict=True) if hasattr(one, "dtype")]
    return tensors or arrays


__all__ = ["constant_of", "counted"]
