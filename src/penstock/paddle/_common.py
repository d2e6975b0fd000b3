"""The common part of results and leaves: their printed form, their gradient, their value."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import FrameType
from typing import Any

import numpy as np

from penstock.functions.indexing import get_item
from penstock.paddle import _views as views
from penstock.paddle._backward import backward
from penstock.paddle._dtype import dtype, shown
from penstock.paddle._errors import InvalidTypeError, RefusedError, StoppedError
from penstock.paddle._handing import quiet, seen, speech
from penstock.paddle._printing import tensor_text
from penstock.paddle._shape import PLACE, CPUPlace, Size, TensorSize
from penstock.paddle._standing import ZERO, standing
from penstock.state.variable import Variable
from penstock.tiers import run as _run  # noqa: F401  (fills in what runs recorded paths)
from penstock.trace import tensor as handles
from penstock.trace.convert import copied, handed_out
from penstock.trace.engine import engine
from penstock.trace.source_site import here, warn_once
from penstock.trace.spec import Spec
from penstock.trace.tensor import Cell, concrete

_frame = sys._getframe
_HELD = (handles.Tensor, Cell)


class Common:
    """The common base class of results and leaves."""

    __slots__ = ()
    _spec: Spec
    _place: Any = None
    """The memory that this tensor shares with others, and how it shows it; None if no others are known."""
    _shows = True
    """Whether this is a tensor of the program, which may share memory with others."""
    place: CPUPlace = PLACE
    layout = "NCHW"
    """Paddle's word for memory in the order of the axes."""
    num_shard = placements = process_mesh = None
    """No tensor is distributed."""

    @property
    def shape(self) -> Size:
        """The length of each axis."""
        return Size(self._spec.shape)

    @property
    def offset(self) -> int:
        """How many bytes into its memory the tensor begins."""
        layout = views.layout_of(self)
        return 0 if layout is None else layout.offset

    @property
    def dtype(self) -> dtype:
        """The dtype of the elements."""
        return shown(self._spec.dtype)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._spec.ndim

    @property
    def size(self) -> TensorSize:
        """The number of elements; `x.size()` is the shape, and `x.size(0)` the length of one axis."""
        spec = self._spec
        return TensorSize(spec.size, spec.shape)

    @property
    def type(self) -> str:
        """Paddle's word for a tensor that is neither sparse nor a list."""
        return "VarType.DENSE_TENSOR"

    @property
    def grad(self) -> Any:
        """The gradient that `backward` has accumulated, or None."""
        found = self._gradient
        if found is None:
            if engine.unkept.functions and not isinstance(self, Cell) and not self.stop_gradient:
                engine.unkept.tell(self, _frame(1))
            return None
        if engine.slots.functions:
            engine.slots.tell("read", _frame(1), "", [self])
        if found is ZERO:
            found = concrete(np.zeros(self._spec.shape, self._spec.dtype), speech.kind)
        self._gradient = found = seen(self, found)
        return found

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is not None and tuple(value._spec.shape) != tuple(self._spec.shape):
            raise RefusedError(
                f"The gradient has shape {list(value._spec.shape)}, the tensor {list(self._spec.shape)}.",
                site=here(),
            )
        if value is None and engine.slots.functions and isinstance(self, Cell) and self._gradient is not None:
            engine.slots.tell("cleared", _frame(1), "", [self])
        self._gradient = value

    grad_ = grad
    _gradient: Any

    def gradient(self) -> Any:
        """Returns the gradient as a NumPy array, or None."""
        found = self.grad
        return None if found is None else found.numpy()

    def clear_gradient(self, set_to_zero: bool = True) -> None:
        """Sets the gradient to zeros, or to None."""
        if self._gradient is not None:
            if engine.slots.functions and isinstance(self, Cell):
                engine.slots.tell("cleared", _frame(1), "", [self])
            self._gradient = ZERO if set_to_zero else None
            if not set_to_zero:
                quiet.pop(id(self), None)

    clear_grad = clear_gradient

    def backward(
        self, grad_tensor: Any = None, retain_graph: bool = False, *, dump_backward_graph_path: Any = None
    ) -> None:
        """Adds the gradient of this tensor to `grad` of every leaf it depends on.

        No picture of the graph is written: `dump_backward_graph_path` does nothing.

        Raises SystemError if an earlier pass has freed the graph: give that one `retain_graph=True`.
        """
        if grad_tensor is not None:
            if not isinstance(grad_tensor, handles.Tensor | Cell):
                raise RefusedError(
                    f"The type of grad_tensor must be paddle.Tensor, but received {type(grad_tensor)}.",
                    site=here(),
                )
            if grad_tensor._spec.shape != self._spec.shape:
                raise RefusedError(
                    "Tensor shape not match, Tensor of grad_tensor with shape "
                    f"{list(grad_tensor._spec.shape)} "
                    f"mismatch Tensor [ {self.name} ] with shape {list(self._spec.shape)}",
                    site=here(),
                )
        backward(self, grad_tensor, bool(retain_graph), _frame(1))

    name: str

    def register_hook(self, hook: Callable[[Any], Any]) -> Any:
        """Calls `hook(gradient)` in each backward pass; if it returns a value, that replaces the gradient.

        Raises RuntimeError for a tensor that stops gradients.
        """
        if self.stop_gradient:
            raise StoppedError(
                "Cannot register hook on a tensor that stop gradient.",
                why="It gets no gradient.",
                remedy="Set x.stop_gradient = False, or register the hook on what was computed from a leaf.",
                site=here(),
            )
        self._mark_hook(_frame(1))
        return _Hook(self, hook)

    _gradient_hooks: Any
    stop_gradient: Any

    def _mark_hook(self, frame: FrameType) -> None:
        """A leaf needs no mark: its gradient comes by."""

    # -- looking at a value ------------------------------------------------------------------------------

    def _seen(self, how: str, frame: FrameType) -> Any:
        raise NotImplementedError

    def _array(self, how: str, frame: FrameType) -> np.ndarray[Any, Any]:
        standing()
        return np.asarray(self._seen(how, frame))

    def numpy(self, blocking: bool = True) -> Any:
        """Returns a copy of the value as a NumPy array; it is there then, so `blocking` does nothing."""
        return np.array(self._array("numpy()", _frame(1)))

    def item(self, *place: int) -> Any:
        """Returns the one element, or the one at a place, as a Python number."""
        array = self._array("item()", _frame(1))
        if place:
            return array.reshape(-1)[place[0]].item() if len(place) == 1 else array[place].item()
        if array.size != 1:
            from penstock.paddle._errors import InvalidValueError

            raise InvalidValueError(
                "only one element tensors can be converted to Python scalars when no input coordinates",
                origin=f"the shape is {list(array.shape)}",
                remedy="Use tolist() to get all elements, or reduce the value first.",
                site=here(),
            )
        return array.item()

    def tolist(self) -> Any:
        """Returns the elements as nested lists of Python numbers."""
        return self._array("tolist()", _frame(1)).tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return handed_out(self._array("numpy.asarray()", _frame(1)), dtype, copy)

    def __float__(self) -> float:
        return float(self._one("float", _frame(1)))

    def __int__(self) -> int:
        return int(self._one("int", _frame(1)))

    def __index__(self) -> int:
        return int(self._one("long", _frame(1)).__index__())

    def __complex__(self) -> complex:
        return complex(self._one("complex", _frame(1)))

    def __bool__(self) -> bool:
        array = self._array("bool()", _frame(1))
        if array.size != 1:
            raise RefusedError(
                "When Variable is used as the condition of if/while , Variable can only contain one element.",
                origin=f"the shape is {list(array.shape)}",
                remedy="Reduce it first: paddle.all(x) or paddle.any(x).",
                site=here(),
            )
        return bool(array.reshape(())[()])

    def _one(self, word: str, frame: FrameType) -> Any:
        array = self._array(f"{word}()", frame)
        if array.size != 1:
            raise RefusedError(
                f"only one element variable can be converted to {word}.",
                origin=f"the shape is {list(array.shape)}",
                remedy="Reduce it first, for example with x.mean(), or use x.tolist().",
                site=here(),
            )
        return array.reshape(())[()]

    def __format__(self, pattern: str) -> str:
        if self._spec.ndim == 0:
            return format(self._array("format()", _frame(1)).item(), pattern)
        return object.__format__(self, pattern)

    def __len__(self) -> int:
        if not self._spec.shape:
            raise RefusedError("len() of a 0-D tensor is wrong", site=here())
        return self._spec.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self._spec.shape:
            raise InvalidTypeError("iteration over a 0-d tensor", site=here())
        frame = _frame(1)
        return (get_item(self, i, frame) for i in range(self._spec.shape[0]))

    def _text(self, how: str, frame: FrameType) -> str:
        stops = self.stop_gradient
        return tensor_text(self._array(how, frame), self._spec.dtype.name, stops)

    def __repr__(self) -> str:
        return self._text("repr()", _frame(1))

    def __str__(self) -> str:
        return self._text("print()", _frame(1))

    def __hash__(self) -> int:
        return id(self)

    def __contains__(self, item: Any) -> bool:
        return bool(np.isin(np.asarray(item), self._array("in", _frame(1))).any())

    # -- writing -----------------------------------------------------------------------------------------

    def set_value(self, value: Any) -> None:
        """Replaces the value by a tensor or NumPy array of the same shape and dtype.

        Raises AssertionError for anything else, as Paddle does. Values from `paddle.load` count as loaded,
        not as assigned.
        """
        if type(value) is speech.kind and value._spec is self._spec:
            # The common case: a result, which neither comes from a file nor has memory of its own.
            self._replace(value, "set_value", _frame(1))
            return
        given, value = value, self._fitting(value)
        loaded = isinstance(value, Variable) and value._flags[0].by == "load"
        if type(given) is np.ndarray and views.family(self) is not None:
            views.filled(self)
        self._replace(value, "load" if loaded else "set_value", _frame(1))

    def _fitting(self, value: Any) -> Any:
        own = self._spec
        if isinstance(value, _HELD) and value._spec is own:
            return value
        from_numpy = isinstance(value, np.ndarray | np.generic)
        if from_numpy:
            if type(value) is not np.ndarray:
                raise self._unset(value)
            made: Any = copied(value)
            made.flags.writeable = False
            value = concrete(made, speech.kind)
        elif not isinstance(value, _HELD):
            raise self._unset(value)
        given = value._spec
        if given.shape != own.shape:
            shape = given.shape if from_numpy else Size(given.shape)
            raise RefusedError(
                f"Variable Shape not match, Variable [ {self.name} ] need tensor with shape "
                f"{Size(own.shape)} but load set tensor with shape {shape}",
                origin=self._origin(),
                why="A tensor keeps its shape.",
                remedy="Reshape the value: value.reshape(x.shape).",
                site=here(),
            )
        if given.dtype != own.dtype:
            raise RefusedError(
                f"Variable dtype not match, Variable [ {self.name} ] need tensor with dtype "
                f"paddle.{own.dtype.name}  but load tensor with dtype paddle.{given.dtype.name}",
                origin=self._origin(),
                remedy=f"Convert the value: value.astype('{own.dtype.name}').",
                site=here(),
            )
        return value

    def _unset(self, value: Any) -> RefusedError:
        return RefusedError(
            "Variable set_value function, arguments type only support Variable, numpy, Tensor, dict, string.",
            origin=f"the value is {type(value).__name__} {value!r}"[:120],
            remedy=f"Convert it to a tensor: paddle.to_tensor(value, dtype='{self._spec.dtype.name}').",
            site=here(),
        )

    def _origin(self) -> str:
        return ""

    def _replace(self, value: Any, by: str, frame: FrameType) -> None:
        shared = views.family(self)
        self._store(value, by, frame)
        if shared is not None:
            views.spread(shared, self, by, frame)

    @property
    def inplace_version(self) -> int:
        """How many methods have changed this tensor's memory in place; `set_value` does not count."""
        views.family(self)
        place = self._place
        return self._own_version() if place is None else int(place.memory.version)

    def _own_version(self) -> int:
        """Returns the number of writes in place since before the tensor shared memory with others."""
        raise NotImplementedError

    def _store(self, value: Any, by: str, frame: FrameType) -> None:
        raise NotImplementedError


class _Hook:
    """The result of `register_hook`: `remove` removes the hook."""

    def __init__(self, owner: Any, hook: Callable[[Any], Any]) -> None:
        # One function may be registered several times: only this registration is removed.
        self._owner, self._hook, self._number = owner, partial(hook), len(owner._gradient_hooks)
        owner._gradient_hooks = (*owner._gradient_hooks, self._hook)

    def remove(self) -> bool:
        """Takes the hook away; returns whether it was there."""
        kept = tuple(one for one in self._owner._gradient_hooks if one is not self._hook)
        there = len(kept) != len(self._owner._gradient_hooks)
        if not there:
            warn_once(
                f"The backward hook (ID: {self._number}) of Tensor `{self._owner.name}` you want to remove "
                "does not exist or has been removed.",
                RuntimeWarning,
            )
        self._owner._gradient_hooks = kept
        return there
