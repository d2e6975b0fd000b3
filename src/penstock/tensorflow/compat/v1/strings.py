"""tf.strings of TensorFlow 1: the functions of TensorFlow 2, some with other arguments and results."""

from __future__ import annotations

import functools as _functools
import sys as _sys
from typing import Any

import numpy as _np

from penstock.tensorflow import strings as _strings
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._graphs.build import constant as _constant
from penstock.tensorflow._graphs.build import lift as _lift
from penstock.tensorflow._graphs.graph import mode as _mode
from penstock.tensorflow._graphs.tensor import SymbolicTensor as _SymbolicTensor
from penstock.tensorflow._graphs.variable import GraphVariable as _GraphVariable
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._tensor import EagerTensor as _EagerTensor
from penstock.trace.source_site import here as _here
from penstock.trace.structure import flat as _flat
from penstock.trace.structure import mapped as _mapped


def _as_part(function: Any) -> Any:
    """Returns a function whose numbers are constants of the graph that is being built, if one is."""

    _built = _lift(function)

    @_functools.wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        if any(isinstance(one, _SymbolicTensor | _GraphVariable) for one in _flat((arguments, options))):
            return _built(*arguments, **options)
        found = function(*arguments, **options)
        if _mode.building() is None:
            return found
        frame = _sys._getframe(1)

        def part(one: Any) -> Any:
            return _constant(one.numpy(), "Const", frame) if isinstance(one, _EagerTensor) else one

        return _mapped(found, part)

    return called


for _name in _strings.__all__:
    globals()[_name] = _as_part(getattr(_strings, _name))


def _either(new: Any, old: Any, words: tuple[str, str]) -> Any:
    """Returns the one of two arguments of one meaning that was given."""
    if new is not None and old is not None:
        raise ValueError(f"Cannot specify both '{words[0]}' and '{words[1]}'.")
    return old if new is None else new


@_as_part
def length(input: Any, name: Any = None, unit: str = "BYTE") -> Any:
    """Returns the number of bytes of strings, or of characters with the unit "UTF8_CHAR"."""
    return _strings.length(input, unit)


@_as_part
def substr(input: Any, pos: int, len: int, name: Any = None, unit: str = "BYTE") -> Any:
    """Returns the parts of strings that begin at `pos` and are `len` long."""
    return _strings.substr(input, pos, len, unit)


@_as_part
def split(
    input: Any = None, sep: Any = None, maxsplit: int = -1, result_type: str = "SparseTensor",
    source: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the parts of strings: a row for each string of a sparse tensor, or of a ragged one on request.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> tf.strings.split(["a b", "c"]).values.numpy().tolist()
    [b'a', b'b', b'c']
    """
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    given = _either(source, input, ("source", "input"))
    if _np.ndim(given) == 0 and not getattr(given, "shape", ()):
        given = [given]
    rows = _strings.split(given, sep, maxsplit)
    return rows if result_type == "RaggedTensor" else rows.to_sparse()


@_as_part
def reduce_join(
    inputs: Any, axis: Any = None, keep_dims: Any = None, separator: str = "", name: Any = None,
    reduction_indices: Any = None, keepdims: Any = None,
) -> Any:  # fmt: skip
    """Returns the strings along an axis put together; along all without one."""
    place = _either(axis, reduction_indices, ("axis", "reduction_indices"))
    kept = _either(keepdims, keep_dims, ("keepdims", "keep_dims"))
    return _strings.reduce_join(inputs, place, bool(kept), separator)


@_as_part
def to_number(
    string_tensor: Any = None, out_type: Any = "float32", name: Any = None, input: Any = None
) -> Any:
    """Returns the numbers that strings spell."""
    return _strings.to_number(_either(input, string_tensor, ("input", "string_tensor")), out_type)


@_as_part
def to_hash_bucket(
    string_tensor: Any = None, num_buckets: Any = None, name: Any = None, input: Any = None
) -> Any:
    """Returns strings as whole numbers below `num_buckets`. The hash is the older one."""
    if num_buckets is None:
        raise _ArgumentError("to_hash_bucket: num_buckets is missing.", site=_here())
    return _strings.to_hash_bucket(_either(input, string_tensor, ("input", "string_tensor")), num_buckets)


_missing, __dir__, __all__ = _namespace("tf.compat.v1.strings", globals())
__all__ += [_name for _name in _strings.__all__ if _name not in __all__]
__getattr__ = _missing
