"""Lists of tensors under the names that Paddle gave them in static programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.paddle import _creation, _manipulation
from penstock.paddle._convert import HANDLES, data
from penstock.paddle._declaring import in_paddle, method
from penstock.paddle._errors import InvalidValueError
from penstock.trace.source_site import here


@in_paddle
def create_array(dtype: Any = None, initialized_list: Any = None) -> list[Any]:
    """Returns a list of tensors for `array_write` and `array_read`; the `dtype` is theirs: it does nothing.

    >>> from penstock import paddle
    >>> array = paddle.tensor.create_array("float32")
    >>> array = paddle.tensor.array_write(paddle.ones([2]), paddle.zeros([1], "int32"), array)
    >>> paddle.tensor.array_read(array, paddle.zeros([1], "int32")).tolist()
    [1.0, 1.0]
    """
    found = [] if initialized_list is None else list(initialized_list)
    for one in found:
        if not isinstance(one, HANDLES):
            raise TypeError(f"All values in `initialized_list` should be Variable, but received {type(one)}.")
    return found


def _place(i: Any) -> int:
    return int(np.asarray(i).item())


@in_paddle
def array_write(x: Any, i: Any, array: list[Any] | None = None) -> list[Any]:
    """Puts a tensor at a place of a list, at most one after the last; returns the list."""
    array = create_array() if array is None else array
    place = _place(i)
    if not 0 <= place <= len(array):
        raise InvalidValueError(
            f"The index should not be greater than the length of the array, {len(array)}, but is {place}.",
            site=here(),
        )
    array[place : place + 1] = [x]
    return array


@in_paddle
def array_read(array: list[Any], i: Any) -> Any:
    """Returns the tensor at a place of a list."""
    return array[_place(i)]


@in_paddle
def array_length(array: list[Any]) -> int:
    """Returns how many tensors a list holds."""
    return len(array)


@method
def create_tensor(dtype: Any, name: str | None = None, persistable: bool = False) -> Any:
    """Returns a tensor without elements.

    The `name` and `persistable` do nothing: nothing is looked up by them.
    """
    return _creation.zeros([0], dtype)


@in_paddle
def tensor_array_to_tensor(input: list[Any], axis: int = 1, use_stack: bool = False, name: Any = None) -> Any:
    """Returns the tensors of a list joined along an axis, or stacked, and the length that each has there."""
    join = _manipulation.stack if use_stack else _manipulation.concat
    sizes = np.asarray([one._spec.shape[axis] for one in input], np.int64)
    return join(list(input), axis), data(sizes)
