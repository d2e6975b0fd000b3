"""tf.debugging: assertions about values, which read the values and raise an error if they fail."""

from __future__ import annotations

import operator as _operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from penstock.declared import named as _named
from penstock.declared import row as _row
from penstock.tensorflow._convert import operand as _operand
from penstock.tensorflow._convert import tensor_of as _tensor_of
from penstock.tensorflow._dtype import as_dtype as _as_dtype
from penstock.tensorflow._dtype import numpy_dtype as _numpy_dtype
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._errors import CallableError as _TypeRefused
from penstock.tensorflow._errors import InvalidArgumentError as _InvalidArgumentError
from penstock.tensorflow._errors import refused_dtype as _refused_dtype
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._tensor import EagerTensor as _EagerTensor
from penstock.trace.source_site import here as _here
from penstock.trace.tensor import Cell as _Cell
from penstock.trace.tensor import Tensor as _Tensor


def _value(x: Any) -> np.ndarray[Any, Any]:
    return np.asarray(_tensor_of(x).numpy())


def _said(message: Any, *lines: str) -> str:
    return "\n".join([*([str(message)] if message else []), *lines])


def _begins(name: str, array: Any, most: int) -> list[str]:
    """Returns lines that show the first elements of an array."""
    shown = array.reshape(-1)[:most]
    return [f"First {len(shown)} elements of {name}:", str(shown)]


def _compared(names: str, sign: str, holds: Callable[[Any, Any], Any]) -> Any:
    def function(x: Any, y: Any, message: Any = None, summarize: Any = None, name: Any = None) -> None:
        first, second = _value(x), _value(y)
        met = np.asarray(holds(first, second))
        if met.all():
            return
        most = int(summarize or 3)
        places = np.argwhere(~met)[:most]
        one, other = np.broadcast_arrays(first, second)
        picked = tuple(places.T)
        raise _InvalidArgumentError(
            _said(
                message,
                f"Condition x {sign} y did not hold.",
                f"Indices of first {len(places)} different values:",
                str(places),
                "Corresponding x values:",
                str(one[picked]),
                "Corresponding y values:",
                str(other[picked]),
                *_begins("x", first, most),
                *_begins("y", second, most),
            ),
            site=_here(),
        )

    return _row(function, names, f"Raises InvalidArgumentError unless x {sign} y, everywhere.")


assert_equal = _compared("tf.debugging.assert_equal tf.assert_equal", "==", _operator.eq)
assert_none_equal = _compared("tf.debugging.assert_none_equal", "!=", _operator.ne)
assert_less = _compared("tf.debugging.assert_less tf.assert_less", "<", _operator.lt)
assert_less_equal = _compared("tf.debugging.assert_less_equal", "<=", _operator.le)
assert_greater = _compared("tf.debugging.assert_greater tf.assert_greater", ">", _operator.gt)
assert_greater_equal = _compared("tf.debugging.assert_greater_equal", ">=", _operator.ge)


def _signed(names: str, sign: str, compared: Any) -> Any:
    def function(x: Any, message: Any = None, summarize: Any = None, name: Any = None) -> None:
        compared(x, np.zeros((), _value(x).dtype), message, summarize)

    return _row(function, names, f"Raises InvalidArgumentError unless x {sign} 0 everywhere.")


assert_positive = _signed("tf.debugging.assert_positive", ">", assert_greater)
assert_negative = _signed("tf.debugging.assert_negative", "<", assert_less)
assert_non_negative = _signed("tf.debugging.assert_non_negative", ">=", assert_greater_equal)
assert_non_positive = _signed("tf.debugging.assert_non_positive", "<=", assert_less_equal)


@_named("tf.debugging.assert_near")
def assert_near(
    x: Any, y: Any, rtol: Any = None, atol: Any = None, message: Any = None, summarize: Any = None,
    name: Any = None,
) -> None:  # fmt: skip
    """Raises InvalidArgumentError unless |x - y| <= atol + rtol |y| everywhere; both are 10 epsilon."""
    first, second = _value(x), _value(y)
    usual = 10 * float(np.finfo(first.dtype).eps) if first.dtype.kind == "f" else 0.0
    within, share = (usual if one is None else float(_value(one)) for one in (atol, rtol))
    met = np.abs(first - second) <= within + share * np.abs(second)
    if not met.all():
        place = tuple(np.argwhere(~np.asarray(met))[0]) if np.ndim(met) else ()
        one, other = np.broadcast_arrays(first, second)
        raise _InvalidArgumentError(
            _said(
                message,
                f"x and y not equal to tolerance rtol = {share}, atol = {within}",
                f"first at {list(map(int, place))}: {one[place]} and {other[place]}",
            ),
            site=_here(),
        )


@_named("tf.Assert", "tf.debugging.Assert")
def Assert(condition: Any, data: Any, summarize: Any = None, name: Any = None) -> None:
    """Raises InvalidArgumentError, with some data, unless a condition holds everywhere."""
    if not _value(condition).all():
        shown = "\n".join(str(_value(one)) if isinstance(one, _Tensor | _Cell) else str(one) for one in data)
        raise _InvalidArgumentError(
            f"Expected 'tf.Tensor({bool(_value(condition).all())}, shape=(), dtype=bool)' to be true. "
            f"Summarized data: {shown}",
            site=_here(),
        )


# -- checks without values ------------------------------------------------------------------------------


def _shown(shape: Any) -> str:
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


@_named("tf.assert_rank", "tf.debugging.assert_rank")
def assert_rank(x: Any, rank: Any, message: Any = None, name: Any = None) -> None:
    """Raises ValueError unless x has this many axes."""
    _check_rank(x, int(_value(rank)), message, _operator.eq, "")


@_named("tf.debugging.assert_rank_at_least")
def assert_rank_at_least(x: Any, rank: Any, message: Any = None, name: Any = None) -> None:
    """Raises ValueError unless x has at least this many axes."""
    _check_rank(x, int(_value(rank)), message, _operator.ge, " at least")


def _check_rank(x: Any, rank: int, message: Any, holds: Any, word: str) -> None:
    own = _operand(x)._spec.shape
    if not holds(len(own), rank):
        verb = f"have{word}" if word else "have"
        raise _ArgumentError(
            f"{message or ''}Tensor  must {verb} rank {rank}.  Received rank {len(own)}, shape {_shown(own)}",
            site=_here(),
        )


@_named("tf.debugging.assert_rank_in")
def assert_rank_in(x: Any, ranks: Any, message: Any = None, name: Any = None) -> None:
    """Raises ValueError unless x has one of these numbers of axes."""
    own = _operand(x)._spec.shape
    wanted = [int(_value(one)) for one in ranks]
    if len(own) not in wanted:
        raise _ArgumentError(
            f"{message or ''}Tensor  must have rank in {tuple(wanted)}.  Received rank {len(own)}, "
            f"shape {_shown(own)}",
            site=_here(),
        )


@_named("tf.debugging.assert_scalar")
def assert_scalar(tensor: Any, message: Any = None, name: Any = None) -> Any:
    """Returns a tensor that has no axes; raises ValueError for another."""
    own = _operand(tensor)._spec.shape
    if own:
        raise _ArgumentError(f"{message or ''}Expected scalar shape, saw shape: {_shown(own)}.", site=_here())
    return tensor


@_named("tf.debugging.assert_shapes")
def assert_shapes(
    shapes: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> None:
    """Raises ValueError unless tensors have these shapes, in which a letter means one length everywhere.

    >>> from penstock import tensorflow as tf
    >>> tf.debugging.assert_shapes([(tf.zeros([2, 3]), ("N", "D")), (tf.zeros([3]), ("D",))])
    """
    known: dict[Any, int] = {}
    for x, wanted in shapes.items() if isinstance(shapes, dict) else shapes:
        own = tuple(_operand(x)._spec.shape)
        symbols = list(wanted) if isinstance(wanted, list | tuple) else [wanted]
        if symbols and symbols[0] in ("...", Ellipsis):
            symbols = symbols[1:]
            own = own[len(own) - len(symbols) :] if len(own) >= len(symbols) else own
        elif symbols and symbols[-1] in ("...", Ellipsis):
            symbols = symbols[:-1]
            own = own[: len(symbols)]
        if len(own) != len(symbols):
            raise _ArgumentError(
                f"{message or ''}Tensor has rank {len(own)}, and {tuple(wanted)} was expected.",
                origin=_beside(data),
                site=_here(),
            )
        for place, (length, symbol) in enumerate(zip(own, symbols, strict=True)):
            if symbol is None or symbol == ".":
                continue
            expected = int(symbol) if str(symbol).isdigit() else known.setdefault(symbol, length)
            if expected != length:
                raise _ArgumentError(
                    f"{message or ''}Specified by tensor dimension {place}: {symbol!r} is {expected}, and "
                    f"the tensor has shape {_shown(own)}.",
                    origin=_beside(data),
                    site=_here(),
                )


def _beside(data: Any) -> str:
    """Returns the text that a check adds to its error."""
    return "" if data is None else "\n".join(f"data: {one}" for one in data)


@_named("tf.debugging.assert_type")
def assert_type(tensor: Any, tf_type: Any, message: Any = None, name: Any = None) -> None:
    """Raises TypeError unless a tensor has this dtype."""
    known = hasattr(tensor, "dtype") and getattr(tensor, "_is_tensor", False)
    own, wanted = _as_dtype(tensor.dtype if known else _operand(tensor).dtype), _as_dtype(tf_type)
    if own != wanted:
        raise _TypeRefused(
            f"{message or ''}tensor must be of type {tf_type!r}; got tf.{own.name}", site=_here()
        )


@_named("tf.debugging.assert_integer")
def assert_integer(x: Any, message: Any = None, name: Any = None) -> None:
    """Raises TypeError unless x holds whole numbers."""
    own = _operand(x)._spec.dtype
    if own.kind not in "iu":
        raise _TypeRefused(
            f'{message or ""}Expected "x" to be integer type.  Found: tensor of dtype '
            f"<dtype: '{own.name}'>",
            site=_here(),
        )


@_named("tf.debugging.assert_proper_iterable", "tf.compat.v1.assert_proper_iterable")
def assert_proper_iterable(values: Any) -> None:
    """Raises TypeError for any value but a list or tuple, such as a tensor or a word."""
    if isinstance(values, _Tensor | _Cell | np.ndarray | str | bytes) or not isinstance(values, Iterable):
        raise _TypeRefused(
            f"Expected argument 'values' to be a 'proper' iterable.  Found: {type(values)}", site=_here()
        )


@_named("tf.debugging.assert_same_float_dtype", "tf.compat.v1.assert_same_float_dtype")
def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> Any:
    """Returns the dtype of fractions that tensors share; raises ValueError if they do not."""
    from penstock.tensorflow.dtypes import as_dtype, float32

    found = {_operand(one)._spec.dtype.name for one in tensors or ()}
    if dtype is not None:
        found.add(_numpy_dtype(dtype).name)
    if len(found) > 1:
        raise _ArgumentError(f"Expected one dtype, but got {', '.join(sorted(found))}.", site=_here())
    kind = as_dtype(found.pop()) if found else float32
    if not kind.is_floating:
        raise _ArgumentError(f"Expected floating point type, got {kind!r}.", site=_here())
    return kind


@_named("tf.debugging.is_numeric_tensor", "tf.compat.v1.is_numeric_tensor")
def is_numeric_tensor(tensor: Any) -> bool:
    """Returns whether a value is a tensor of numbers."""
    return isinstance(tensor, _Tensor | _Cell) and tensor._spec.dtype.kind in "fiucV"


# -- finite numbers -------------------------------------------------------------------------------------


@_named("tf.debugging.check_numerics", "tf.compat.v1.check_numerics")
def check_numerics(tensor: Any, message: str, name: Any = None) -> _EagerTensor:
    """Returns a tensor as it is; raises InvalidArgumentError for one that holds NaN or infinity.

    >>> from penstock import tensorflow as tf
    >>> print(tf.debugging.check_numerics([1.0, 2.0], "activations").numpy())
    [1. 2.]
    """
    x = _tensor_of(tensor)
    if x._spec.dtype.kind not in "fV":
        raise _refused_dtype(x._spec.dtype, "bfloat16, half, float, double", site=_here())
    array = _value(x)
    words = [word for word, found in (("Inf", np.isinf), ("NaN", np.isnan)) if found(array).any()]
    if words:
        raise _InvalidArgumentError(f"{message} : Tensor had {' and '.join(words)} values", site=_here())
    return x


@_named("tf.debugging.assert_all_finite")
def assert_all_finite(x: Any, message: str, name: Any = None) -> _EagerTensor:
    """Returns what `check_numerics` does."""
    return check_numerics(x, message)


@_named("tf.debugging.enable_check_numerics")
def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Not available: raises NotImplementedError, which names the replacement."""
    raise NotImplementedError(
        "tf.debugging.enable_check_numerics is not supported: wrap what you suspect in "
        "tf.debugging.check_numerics, give an optimizer finite=True, or run "
        "`penstock check`, which names the first non-finite value."
    )


@_named("tf.debugging.disable_check_numerics")
def disable_check_numerics() -> None:
    """Does nothing: there is nothing to disable."""


@_named("tf.debugging.set_log_device_placement")
def set_log_device_placement(enabled: bool) -> None:
    """Is remembered for `get_log_device_placement`, and changes nothing: there is one device."""
    _kept["placement"] = bool(enabled)


@_named("tf.debugging.get_log_device_placement")
def get_log_device_placement() -> bool:
    """Returns what `set_log_device_placement` was given last."""
    return _kept["placement"]


_kept = {"placement": False, "filtering": True}
"""Settings that a program may read again."""


@_named("tf.debugging.enable_traceback_filtering")
def enable_traceback_filtering() -> None:
    """Is remembered for `is_traceback_filtering_enabled`: a traceback ends at the user's line in any case."""
    _kept["filtering"] = True


@_named("tf.debugging.disable_traceback_filtering")
def disable_traceback_filtering() -> None:
    """Is remembered for `is_traceback_filtering_enabled`: a traceback ends at the user's line in any case."""
    _kept["filtering"] = False


@_named("tf.debugging.is_traceback_filtering_enabled")
def is_traceback_filtering_enabled() -> bool:
    """Returns whether filtering is enabled, as it is at first."""
    return _kept["filtering"]


__getattr__, __dir__, __all__ = _namespace("tf.debugging", globals())
