"""Functions that make tensors: filled ones, ranges, random ones, parameters."""

from __future__ import annotations

import builtins
import sys
from typing import Any

import numpy as np

from penstock.functions import random as draws
from penstock.ops import pointwise
from penstock.ops import shape as shapes
from penstock.paddle import _seeded as seeded
from penstock.paddle import _views as views
from penstock.paddle._convert import HANDLES, as_array, converted, data, lengths_of, operand, record
from penstock.paddle._convert import to_tensor as to_tensor
from penstock.paddle._declaring import in_paddle, method
from penstock.paddle._dtype import default_dtype, numpy_dtype
from penstock.paddle._errors import InvalidTypeError, InvalidValueError
from penstock.paddle._numbering import Names
from penstock.paddle._tensor import Maker, Parameter, as_result, rebind, with_history
from penstock.paddle._writing import changed, written
from penstock.state.variable import updating
from penstock.trace.convert import copied
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell

_frame = sys._getframe


def _wanted(dtype: Any, otherwise: Any = None) -> np.dtype[Any]:
    if dtype is not None:
        return numpy_dtype(dtype)
    return default_dtype() if otherwise is None else np.dtype(otherwise)


def _handed(made: Any, out: Any = None, requires_grad: bool = False) -> Any:
    """Returns what was made as it was asked for: in `out`, if given, and wanting a gradient or not."""
    made = written(made, out, "assign", _frame(2))
    if requires_grad:
        made.stop_gradient = False
    return made


@in_paddle
def full(
    shape: Any, fill_value: Any, dtype: Any = None, name: Any = None, *, out: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Returns a tensor of a shape in which every element is the same.

    `device` and `pin_memory` do nothing: there is one place.

    >>> from penstock import paddle
    >>> paddle.full([2], 7.0)
    Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
           [7., 7.])
    """
    lengths = lengths_of(shape)
    if isinstance(fill_value, HANDLES):
        value = converted(fill_value, _wanted(dtype, fill_value._spec.dtype), _frame(1))
        value = record(shapes.reshape, (value,), {"shape": ()}, _frame(1))
        value = record(shapes.broadcast_to, (value,), {"shape": lengths}, _frame(1))
        return _handed(value, out, requires_grad)
    if dtype is None and isinstance(fill_value, builtins.bool):
        dtype = "bool"
    return _handed(data(np.full(lengths, fill_value, _wanted(dtype))), out, requires_grad)


@in_paddle
def zeros(
    shape: Any, dtype: Any = None, name: Any = None,
    *, out: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Returns a tensor of zeros.

    `device` and `pin_memory` do nothing: there is one place.
    """
    return _handed(data(np.zeros(lengths_of(shape), _wanted(dtype))), out, requires_grad)


@in_paddle
def ones(
    shape: Any, dtype: Any = None, name: Any = None,
    *, out: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Returns a tensor of ones.

    `device` and `pin_memory` do nothing: there is one place.
    """
    return _handed(data(np.ones(lengths_of(shape), _wanted(dtype))), out, requires_grad)


@in_paddle
def empty(
    shape: Any, dtype: Any = None, name: Any = None,
    *, out: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Returns a tensor whose values are not told: zeros, here.

    `device` and `pin_memory` do nothing: there is one place.
    """
    return _handed(zeros(shape, dtype), out, requires_grad)


@in_paddle
def full_like(
    x: Any, fill_value: Any, dtype: Any = None, name: Any = None,
    *, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Returns a tensor of x's shape in which every element is the same.

    `device` and `pin_memory` do nothing: there is one place.
    """
    x = operand(x)
    return _handed(
        full(x._spec.shape, fill_value, x._spec.dtype if dtype is None else dtype), None, requires_grad
    )


@in_paddle("empty_like")
def zeros_like(
    x: Any, dtype: Any = None, name: Any = None,
    *, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Returns zeros of x's shape and, unless told otherwise, dtype.

    `device` and `pin_memory` do nothing: there is one place.
    """
    return _handed(full_like(x, 0, dtype), None, requires_grad)


@in_paddle
def ones_like(
    x: Any, dtype: Any = None, name: Any = None,
    *, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Returns ones of x's shape and, unless told otherwise, dtype.

    `device` and `pin_memory` do nothing: there is one place.
    """
    return _handed(full_like(x, 1, dtype), None, requires_grad)


def _number(value: Any) -> Any:
    return np.asarray(value).item() if isinstance(value, HANDLES) else value


@in_paddle
def arange(
    start: Any = 0, end: Any = None, step: Any = 1, dtype: Any = None, name: Any = None,
    *, out: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Returns evenly spaced values from `start` up to, not including, `end`.

    `device` and `pin_memory` do nothing: there is one place.
    """
    start, end, step = _number(start), _number(end), _number(step)
    if end is None:
        start, end = 0, start
    whole = builtins.all(isinstance(one, int | np.integer) for one in (start, end, step))
    return _handed(
        data(np.arange(start, end, step).astype(_wanted(dtype, np.int64 if whole else None))),
        out,
        requires_grad,
    )


@in_paddle
def linspace(
    start: Any, stop: Any, num: Any, dtype: Any = None, name: Any = None,
    *, out: Any = None, device: Any = None, requires_grad: bool = False,
) -> Any:  # fmt: skip
    """Returns `num` evenly spaced values from `start` to `stop`, both included.

    `device` does nothing: there is one place.
    """
    return _handed(
        data(np.linspace(_number(start), _number(stop), int(_number(num))).astype(_wanted(dtype))),
        out,
        requires_grad,
    )


@in_paddle
def eye(
    num_rows: int, num_columns: int | None = None, dtype: Any = None, name: Any = None,
    *, out: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Returns ones on the diagonal and zeros elsewhere.

    `device` and `pin_memory` do nothing: there is one place.
    """
    for word, one in (("num_rows", num_rows), ("num_columns", num_columns)):
        if one is not None and (not isinstance(one, int | np.integer) or one < 0):
            raise InvalidTypeError(f"{word} should be a non-negative int, but it is {one!r}.", site=here())
    return _handed(data(np.eye(num_rows, num_columns, dtype=_wanted(dtype))), out, requires_grad)


@in_paddle
def assign(x: Any, output: Any = None) -> Any:
    """Returns a copy of x, through which gradients pass; or writes it into `output`, which gets its shape."""
    frame = _frame(1)
    # Lists go by way of NumPy here: fractions become float64.
    x = x if isinstance(x, HANDLES) else data(copied(np.atleast_1d(np.asanyarray(x))))
    if output is not None:
        if output.is_leaf and not output.stop_gradient and x.stop_gradient:
            # A leaf that is given data stays one, as when it is given its value.
            output.set_value(x)
            return output
        made = record(pointwise.identity, (x,), {}, frame)
        return changed(output, with_history(made, output, frame), "assign", frame)
    return record(pointwise.identity, (x,), {}, frame)


@in_paddle
def clone(x: Any, name: Any = None) -> Any:
    """Returns a copy of x, through which gradients pass."""
    return record(pointwise.identity, (x,), {}, _frame(1))


# -- random ----------------------------------------------------------------------------------------------


@in_paddle
def rand(
    shape: Any, dtype: Any = None, name: Any = None,
    *, out: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Returns numbers between 0, included, and 1.

    `device` and `pin_memory` do nothing: there is one place.
    """
    return _handed(uniform(shape, dtype, 0.0, 1.0), out, requires_grad)


@in_paddle
def uniform(
    shape: Any, dtype: Any = None, min: Any = 0, max: Any = 1.0, seed: int = 0, name: Any = None
) -> Any:
    """Returns numbers between `min`, included, and `max`; a seed but 0 gives the same each time."""
    low, high, lengths, kind = float(_number(min)), float(_number(max)), lengths_of(shape), _wanted(dtype)
    found = seeded.tensor("uniform", lengths, low, high, kind, seed=seed)
    return seeded.spoken(draws.uniform(lengths, low, high, dtype=kind)) if found is None else found


@in_paddle("standard_normal")
def randn(
    shape: Any, dtype: Any = None, name: Any = None,
    *, out: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Returns draws from the normal distribution.

    `device` and `pin_memory` do nothing: there is one place.
    """
    return _handed(gaussian(shape, dtype=dtype), out, requires_grad)


@in_paddle
def normal(mean: Any = 0.0, std: Any = 1.0, shape: Any = None, name: Any = None) -> Any:
    """Returns draws from the normal distribution about `mean`, of the shape of a tensor that is given."""
    given = [one for one in (mean, std) if isinstance(one, HANDLES)]
    lengths = given[0]._spec.shape if given else (1,) if shape is None else lengths_of(shape)
    if not given:
        return gaussian(lengths, mean, std)
    return gaussian(lengths, dtype=given[0]._spec.dtype) * std + mean


@in_paddle
def gaussian(
    shape: Any, mean: float = 0.0, std: float = 1.0, seed: int = 0, dtype: Any = None, name: Any = None
) -> Any:
    """Returns draws from the normal distribution about `mean`; a seed but 0 gives the same ones."""
    lengths, mean, std, kind = lengths_of(shape), float(mean), float(std), _wanted(dtype)
    found = seeded.tensor("normal", lengths, mean, std, kind, seed=seed)
    return seeded.spoken(draws.normal(lengths, mean, std, dtype=kind)) if found is None else found


@in_paddle
def randint(
    low: int = 0, high: int | None = None, shape: Any = (1,), dtype: Any = None, name: Any = None
) -> Any:
    """Returns integers from `low`, included, to `high`, not included."""
    if high is None:
        low, high = 0, low
    if low >= high:
        raise InvalidValueError(
            f"randint's low must less then high, but received low = {low}, high = {high}", site=here()
        )
    lengths, kind = lengths_of(shape), _wanted(dtype, np.int64)
    found = seeded.tensor("integers", lengths, low, high, kind)
    return seeded.spoken(draws.integers(lengths, low, high, dtype=kind)) if found is None else found


@in_paddle
def randperm(
    n: int, dtype: Any = "int64", name: Any = None,
    *, out: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Returns the integers below n in random order.

    `device` and `pin_memory` do nothing: there is one place.
    """
    kind = numpy_dtype(dtype)
    found = seeded.tensor("permutation", n, kind)
    if found is None:
        order = np.argsort(np.asarray(draws.uniform((n,), dtype=np.float64)), kind="stable")
        found = data(order.astype(kind))
    return _handed(found, out, requires_grad)


@in_paddle
def bernoulli(x: Any, p: Any = None, name: Any = None) -> Any:
    """Returns 1 with the probability x, or with the probability p for every element, else 0."""
    x = operand(x)
    if p is not None:
        x = full_like(x, p)
    return (rand(x._spec.shape, x._spec.dtype) < x).astype(x._spec.dtype)


@method
def multinomial(x: Any, num_samples: int = 1, replacement: builtins.bool = False, name: Any = None) -> Any:
    """Returns indices drawn with the probabilities x, along the last axis; reads the values of x."""
    x = operand(x)
    weights = np.asarray(x, np.float64)
    rows = weights.reshape(-1, weights.shape[-1])
    sums = rows.sum(-1, keepdims=True)
    if not (rows >= 0).all() or not (sums > 0).all():
        raise InvalidValueError("multinomial needs weights of 0 or more, some above 0.", site=here())
    if not replacement and ((rows > 0).sum(-1) < num_samples).any():
        raise InvalidValueError(
            "When replacement is False, number of samples should be less than non-zero categories.",
            site=here(),
        )
    made = seeded.tensor("categories", weights.astype(x._spec.dtype), num_samples, replacement)
    if made is not None:
        return made
    drawn = np.asarray(draws.uniform((rows.shape[0], num_samples, rows.shape[1]), dtype=np.float64))
    with np.errstate(divide="ignore"):
        # The largest of log p - log(-log u) is one draw; the largest few are draws without replacement.
        scores = np.log(rows / sums)[:, None, :] - np.log(-np.log(np.maximum(drawn, 1e-300)))
    if replacement:
        found = scores.argmax(-1)
    else:
        found = np.argsort(-scores[:, 0], -1, kind="stable")[:, :num_samples]
    return data(found.reshape((*weights.shape[:-1], num_samples)).astype(np.int64))


# -- parameters --------------------------------------------------------------------------------------------


@in_paddle("paddle.nn.ParamAttr")
class ParamAttr:
    """The settings of a parameter: name, initial value, learning rate, decay, whether it trains.

    `do_model_average` is kept as an attribute, and does nothing else.
    """

    def __init__(
        self,
        name: str | None = None,
        initializer: Any = None,
        learning_rate: float = 1.0,
        regularizer: Any = None,
        trainable: builtins.bool = True,
        do_model_average: builtins.bool = True,
        need_clip: builtins.bool = True,
    ) -> None:
        self.name, self.initializer, self.learning_rate = name, initializer, learning_rate
        self.regularizer, self.trainable, self.need_clip = regularizer, trainable, need_clip
        self.do_model_average = do_model_average


def attributes(attr: Any) -> ParamAttr | None:
    """Returns what a user gives as `weight_attr` as a ParamAttr; None if there is to be no parameter."""
    if attr is False:
        return None
    if attr is None or attr is True:
        return ParamAttr()
    if isinstance(attr, ParamAttr):
        return attr
    if isinstance(attr, str):
        return ParamAttr(name=attr)
    return ParamAttr(initializer=attr)


@in_paddle
def create_parameter(
    shape: Any,
    dtype: Any = "float32",
    name: str | None = None,
    attr: Any = None,
    is_bias: builtins.bool = False,
    default_initializer: Any = None,
    prefix: str = "create_parameter",
) -> Any:
    """Returns a parameter: a tensor that training updates, with stop_gradient False.

    >>> from penstock import paddle
    >>> start = paddle.nn.initializer.Constant(1.0)
    >>> weight = paddle.create_parameter([2], "float32", default_initializer=start)
    >>> weight.stop_gradient, weight.tolist()
    (False, [1.0, 1.0])
    """
    from penstock.paddle.nn import initializer

    wanted = attributes(attr)
    if wanted is None:
        return None
    start = wanted.initializer or initializer._default_for(is_bias) or default_initializer
    if start is None:
        start = initializer.Constant(0.0) if is_bias else initializer.XavierUniform()
    array = start._made(lengths_of(shape), numpy_dtype(dtype))
    array = as_array(array, numpy_dtype(dtype))
    name = wanted.name or name
    if name is None:
        name = Names.next(f"{Names.next(prefix)}.{'b' if is_bias else 'w'}")
    made = Parameter(array, wanted.trainable, name)
    made.optimize_attr = {"learning_rate": wanted.learning_rate}
    made.regularizer, made.need_clip = wanted.regularizer, wanted.need_clip
    if not wanted.do_model_average:
        made.do_model_average = False
    return made


@method
def increment(x: Any, value: float = 1.0, name: Any = None) -> Any:
    """Adds a number to x, in place; returns x."""
    frame = _frame(1)
    if x.is_leaf and not x.stop_gradient:
        # Paddle lets a leaf be counted up without a history.
        x.set_value(_more(x.detach(), value, frame))
        return x
    with updating(x, frame):
        return x._change(_more(x, value, frame), "increment", frame)


def _more(x: Any, value: float, frame: Any) -> Any:
    return record(pointwise.add, (x, int(value) if x._spec.dtype.kind in "iu" else value), {}, frame)


@in_paddle
def logspace(start: Any, stop: Any, num: Any, base: Any = 10.0, dtype: Any = None, name: Any = None) -> Any:
    """Returns powers of `base` whose exponents go from `start` to `stop` in equal steps."""
    ends = [float(np.asarray(one)) if isinstance(one, HANDLES) else float(one) for one in (start, stop, base)]
    kind = default_dtype() if dtype is None else numpy_dtype(dtype)
    return data((ends[2] ** np.linspace(ends[0], ends[1], int(np.asarray(num)))).astype(kind))


@in_paddle
def tril_indices(row: int, col: int | None = None, offset: int = 0, dtype: Any = "int64") -> Any:
    """Returns the rows and columns of the lower triangle."""
    return data(np.stack(np.tril_indices(row, offset, col)).astype(numpy_dtype(dtype)))


@in_paddle
def triu_indices(row: int, col: int | None = None, offset: int = 0, dtype: Any = "int64") -> Any:
    """Returns the rows and columns of the upper triangle."""
    return data(np.stack(np.triu_indices(row, offset, col)).astype(numpy_dtype(dtype)))


def _tensor(data: tuple[Any, ...], words: dict[str, Any]) -> Any:
    """Returns what `paddle.Tensor(...)` is: see `_TensorType`. The place and `persistable` do nothing."""
    given = dict(words)
    for word in ("place", "persistable", "zero_copy"):
        given.pop(word, None)
    name, stop_gradient = given.pop("name", None), given.pop("stop_gradient", True)
    data = (given.pop("value"),) if "value" in given else data
    if given:
        raise TypeError(f"Tensor() got an unexpected keyword argument {next(iter(given))!r}")
    if isinstance(data[0] if data else 0, float | str | bool):
        raise InvalidValueError(
            f"Tensor() takes an array, a list, a tensor or lengths, but it was given {data[0]!r}.",
            remedy="Use paddle.to_tensor for one number.",
            site=here(),
        )
    if not data or isinstance(data[0], int):
        found = zeros(list(data) or [0])
    elif isinstance(data[0], list | tuple):
        found = to_tensor(data[0], dtype=default_dtype().name)
    else:
        found = to_tensor(data[0])
        if isinstance(data[0], HANDLES):
            views.show(found, data[0], lambda layout: layout)
    found.stop_gradient = stop_gradient
    if name is not None:
        found.name = name
    return found


Maker.made = _tensor


__all__ = ["Cell", "as_result", "rebind"]
