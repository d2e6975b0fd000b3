"""What programs ask of tensors besides their values: kinds, dtypes, memory, and the operation before them."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import numpy as np

from penstock.declared import named
from penstock.paddle import _creation, _math, signal
from penstock.paddle import _views as views
from penstock.paddle._compatible import softmax
from penstock.paddle._convert import data, operand, to_tensor
from penstock.paddle._errors import BackwardTwiceError, InvalidTypeError, InvalidValueError, NotThereError
from penstock.paddle._record import historic, record_of
from penstock.paddle._tensor import as_result
from penstock.trace.leaf import Leaf as LeafPrimitive
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell

_frame = sys._getframe


class WrongKindError(BackwardTwiceError):
    """A method of another kind of tensor; a SystemError, as in Paddle."""


# -- kinds -----------------------------------------------------------------------------------------------


@named(
    "paddle.Tensor.is_sparse_coo", "paddle.Tensor.is_sparse_csr", "paddle.Tensor.is_dist",
    "paddle.Tensor.is_selected_rows",
)  # fmt: skip
def is_other(self: Any) -> bool:
    """Returns False: sparse tensors are of another class, and none is distributed or consists of rows."""
    return False


@named("paddle.Tensor.get_selected_rows")
def get_selected_rows(self: Any) -> None:
    """Returns None: the tensor does not consist of rows."""


@named("paddle.Tensor.is_coalesced")
def is_coalesced(self: Any) -> NoReturn:
    """Raises TypeError: only sparse tensors with coordinates have this method."""
    raise InvalidTypeError(
        "Method is_coalesced only support sparse coo tensor.",
        origin="the tensor is dense",
        remedy="Ask x.is_sparse_coo() first.",
        site=here(),
    )


def _of_sparse(name: str, kinds: str) -> Any:
    """Declares a method of sparse tensors, which a dense tensor refuses."""

    def method(self: Any) -> NoReturn:
        raise WrongKindError(
            f"this method is only effective for {kinds}",
            origin=f"x.{name}() was called on a dense tensor",
            remedy="Convert it: x.to_sparse_coo(x.ndim), or x.to_sparse_csr().",
            site=here(),
        )

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Raises SystemError: it is a method of {kinds}."
    return named(f"paddle.Tensor.{name}")(method)


indices, nnz = (
    _of_sparse("indices", "SparseCooTensor"),
    _of_sparse("nnz", "SparseCooTensor or SparseCsrTensor"),
)
crows, cols = _of_sparse("crows", "SparseCsrTensor"), _of_sparse("cols", "SparseCsrTensor")
rows = _of_sparse("rows", "SelectedRows")


def _without_kernel(name: str, remedy: str) -> Any:
    """Declares a function of sparse tensors, which Paddle does not have for dense ones."""

    def method(self: Any, name: Any = None) -> NoReturn:
        raise NotThereError(
            f"The kernel of ({method.__name__}) for input tensors is unimplemented, please check the type of "
            "input tensors.",
            origin="the tensor is dense",
            remedy=remedy,
            site=here(),
        )

    method.__name__ = method.__qualname__ = name
    method.__doc__ = "Raises NotImplementedError: it is a method of sparse tensors."
    return named(f"paddle.Tensor.{name}")(method)


to_dense = _without_kernel("to_dense", "It is dense: use it as it is, or ask x.is_sparse() first.")
values = _without_kernel("values", "Use the tensor as it is: all of its elements are values.")
coalesce = _without_kernel("coalesce", "Ask x.is_sparse_coo() first.")


# -- dtypes ----------------------------------------------------------------------------------------------


def _cast(name: str) -> Any:
    def method(self: Any) -> Any:
        return self if self._spec.dtype.name == name else _math.cast(self, name)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Returns the tensor as {name}: itself if it is that."
    return named(f"paddle.Tensor.{name}")(method)


int8, uint8, int16, int32, int64 = (_cast(one) for one in ("int8", "uint8", "int16", "int32", "int64"))
float16, float32, float64 = (_cast(one) for one in ("float16", "float32", "float64"))
complex64, complex128 = _cast("complex64"), _cast("complex128")


# -- functions that are methods too ------------------------------------------------------------------------

named("paddle.Tensor.softmax")(softmax)
named("paddle.Tensor.stft")(signal.stft)
named("paddle.Tensor.istft")(signal.istft)


@named("paddle.Tensor.top_p_sampling")
def top_p_sampling(
    x: Any, ps: Any, threshold: Any = None, topp_seed: Any = None, seed: int = -1, k: int = 0,
    mode: str = "truncated", return_top: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns one class for each row of probabilities, [N, 1], and its probability before it.

    Drawn from the most probable classes, as many as it takes for their sum to reach `ps`; those below
    `threshold` do not count. With the `mode` "non-truncated" all classes count. `topp_seed`, one for each
    row, or a `seed` that is not -1, give the same classes each time. With `return_top` the `k` most probable
    ones follow. Paddle draws on accelerators alone; the draws are Penstock's own.
    """
    if mode not in ("truncated", "non-truncated"):
        raise InvalidValueError(f"mode should be truncated or non-truncated, but got {mode!r}.", site=here())
    x = operand(x)
    known = np.asarray(x.detach(), np.float64)
    limits = np.asarray(operand(ps), np.float64).reshape(-1, 1)
    if known.ndim != 2 or len(limits) not in (1, len(known)):
        raise InvalidValueError(
            "top_p_sampling takes x of shape [N, classes] and ps of shape [N].",
            origin=f"the shapes are {list(x._spec.shape)} and {list(operand(ps)._spec.shape)}",
            site=here(),
        )
    order = np.argsort(-known, axis=1, kind="stable")
    sorted_ = np.take_along_axis(known, order, 1)
    kept = sorted_.copy()
    if mode == "truncated":
        kept[np.cumsum(sorted_, 1) - sorted_ >= limits] = 0.0
    if threshold is not None:
        kept[sorted_ < np.asarray(operand(threshold), np.float64).reshape(-1, 1)] = 0.0
    kept[:, 0] = sorted_[:, 0]
    sums = np.cumsum(kept, 1)
    draws = _uniform(len(known), topp_seed, seed) * sums[:, -1:]
    chosen = np.take_along_axis(order, (sums <= draws).sum(1, keepdims=True), 1)
    found = [np.take_along_axis(known, chosen, 1), chosen]
    if return_top:
        found += [sorted_[:, :k], order[:, :k]]
    kind = x._spec.dtype
    return tuple(data(one.astype(np.int64 if i % 2 else kind)) for i, one in enumerate(found))


def _uniform(count: int, seeds: Any, seed: int) -> Any:
    if seeds is not None:
        each = np.asarray(operand(seeds)).reshape(-1)
        return np.asarray([[np.random.default_rng(int(one)).random()] for one in each])
    if seed != -1:
        return np.random.default_rng(seed).random((count, 1))
    return np.asarray(_creation.rand([count, 1], "float64"))


# -- memory ------------------------------------------------------------------------------------------------


@named("paddle.Tensor.data_ptr")
def data_ptr(self: Any) -> int:
    """Returns a number that a tensor shares with those that share its memory: a view, and its base.

    It is no address: arrays may be on an accelerator.
    """
    return views.address(self)


@named("paddle.Tensor.reconstruct_from_")
def reconstruct_from_(self: Any, other: Any) -> None:
    """Becomes another tensor: takes its value, shape and dtype."""
    if isinstance(self, Cell):
        self._reform(np.array(operand(other)))  # type: ignore[attr-defined]
    else:
        self._change(as_result(operand(other), _frame(1)), "reconstruct_from_", _frame(1))


class _Memory:
    """What `get_tensor` gives: the value of a tensor, which can be read as an array, and `set`."""

    def __init__(self, tensor: Any) -> None:
        self._tensor = tensor

    def shape(self) -> list[int]:
        """Returns the length of each axis."""
        return list(self._tensor.shape)

    def set(self, value: Any, place: Any = None) -> None:
        """Gives the tensor a value; there is one `place`."""
        self._tensor.set_value(to_tensor(np.asarray(value), dtype=self._tensor.dtype))

    def lod(self) -> list[Any]:
        """Returns []: sequences of several lengths are padded, or have segments."""
        return []

    def _dtype(self) -> Any:
        return self._tensor.dtype

    def _is_initialized(self) -> bool:
        return True

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        found = self._tensor.numpy()
        return found if dtype is None else found.astype(dtype)


@named("paddle.Tensor.get_tensor")
def get_tensor(self: Any) -> Any:
    """Returns the value as an object that can be read as an array, and `set`."""
    return _Memory(self)


# -- the operation before ----------------------------------------------------------------------------------


class GradNodeBase:
    """The operation that made a tensor, as gradients pass it; `next_functions` are those before it.

    `name()` begins with Penstock's word for the operation, which is not always Paddle's.
    """

    def __init__(self, record: Any, slot: int) -> None:
        self._record, self._slot = record, slot

    def _accumulates(self) -> bool:
        record, slot = self._record, self._slot
        return (
            record is None or slot in record.leaves or isinstance(record.calls[slot].primitive, LeafPrimitive)
        )

    def name(self) -> str:
        """Returns the name, such as SumGradNode; GradNodeAccumulation for a leaf."""
        if self._accumulates():
            return "GradNodeAccumulation"
        call = self._record.calls[self._slot]
        word = str(call.within or call.primitive.name)
        return "".join(one.capitalize() for one in word.split("_")) + "GradNode"

    @property
    def next_functions(self) -> list[Any]:
        """The operations before this one through which gradients go on; [None] for a leaf."""
        if self._accumulates():
            return [None]
        record = self._record
        return [
            GradNodeBase(record, one)
            for one in record.calls[self._slot].inputs
            if one in record.carrying and self._slot >= record.leaves.get(one, 0)
        ]


GradNodeBase.__module__ = "paddle.base.libpaddle"


def _grad_fn(tensor: Any) -> Any:
    """The operation that made this tensor, as gradients pass it; None if they do not."""
    if isinstance(tensor, Cell):
        return None if tensor._has_history() else GradNodeBase(None, 0)  # type: ignore[attr-defined]
    if tensor.stop_gradient:
        return None
    trace = tensor._trace
    if type(tensor)._is_watched:
        return GradNodeBase(None, 0)
    if trace is None:
        past = tensor._past
        return GradNodeBase(record_of(past.node, past.historic), tensor._slot) if past is not None else None
    base = getattr(trace, "base", trace)
    return GradNodeBase(record_of(base.node, historic(base)), tensor._slot)


named("paddle.Tensor.grad_fn")(property(_grad_fn))
