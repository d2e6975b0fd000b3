"""Paddle's auto_cast: inside a `with` block the name of an operation decides its dtype."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import composite
from penstock.functions.arguments import dtype_of
from penstock.ops.promotion import rules
from penstock.ops.table import cast
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._standing import standing
from penstock.trace.history import STANDING
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.spec import Spec

_frame = sys._getframe
SINGLE = np.dtype(np.float32)

# Paddle's lists, under the names that operations have here. Operations in the first are fast and safe in half
# precision; those in the second lose too much in it.
WHITE = frozenset({"matmul", "dense", "convolution", "einsum"})
BLACK = frozenset(
    {
        "tan", "acos", "asin", "sinh", "cosh", "atanh", "tanh_shrink", "erfinv", "exp", "expm1", "log",
        "log10", "log2", "log1p", "reciprocal", "rsqrt", "power", "square", "sum", "mean", "prod",
        "cumulative_prod", "cumulative_sum", "norm", "group_normalization", "layer_normalization", "softmax",
        "log_softmax", "softplus", "softmax_cross_entropy", "sigmoid_cross_entropy", "cross_entropy",
        "binary_cross_entropy", "huber", "smooth_l1", "triplet_margin", "logsumexp", "kl_divergence",
        "resize",
    }
)  # fmt: skip
PURE_BLACK = frozenset({"resize", "embedding"})
"""The operations that level O2 computes in float32: looking up rows, and resizing."""
NAMES = {
    "conv2d": "convolution", "matmul_v2": "matmul", "linear_v2": "matmul", "mul": "matmul",
    "elementwise_add": "add", "elementwise_sub": "subtract", "elementwise_mul": "multiply",
    "elementwise_div": "divide", "elementwise_pow": "power", "pow": "power", "reduce_sum": "sum",
    "reduce_mean": "mean", "reduce_prod": "prod", "cumsum": "cumulative_sum", "cumprod": "cumulative_prod",
    "layer_norm": "layer_normalization", "group_norm": "group_normalization",
    "softmax_with_cross_entropy": "softmax_cross_entropy", "lookup_table_v2": "embedding",
    "lookup_table": "embedding",
}  # fmt: skip
"""Paddle's names of operations, where ours differ."""


class _State:
    """The settings of one `with` block."""

    __slots__ = ("black", "dtype", "key", "level", "promotes", "white")

    def __init__(
        self,
        dtype: np.dtype[Any],
        level: str,
        white: frozenset[str],
        black: frozenset[str],
        promotes: bool,
    ) -> None:
        self.dtype, self.level, self.white, self.black = dtype, level, white, black
        self.promotes = promotes
        self.key = (dtype.name, level, white, black, promotes)

    def wanted(self, name: str, dtypes: Sequence[np.dtype[Any]]) -> np.dtype[Any] | None:
        """Returns the dtype in which an operation computes, given its operands'; None for no change."""
        if not any(dtype == SINGLE or dtype == self.dtype for dtype in dtypes):
            return None
        if name in self.white:
            return self.dtype
        if name in self.black or self.level == "OD":
            return SINGLE
        return None if self.promotes else self.dtype


class _Inside(threading.local):
    state: _State | None = None


_inside = _Inside()


@named("paddle.amp.auto_cast", "paddle.amp.amp_guard")
class auto_cast:
    """A context in which products are computed in half precision, and operations that need more in float32.

    At level "O1" the operations of a white list (products, convolutions) convert their operands to `dtype`,
    those of a black list (exponentials, sums, losses) to float32, and the others compute in the widest dtype
    that they are given. At "OD" those others compute in float32. "O2" is for models that
    `paddle.amp.decorate` has cast: its black list has only lookups of rows and resizing, so that results of
    half-precision values stay in half precision; without `use_promote`, so do results that combine them with
    float32. Parameters are not cast; only computed values are.

    On a processor it has no effect and warns, as in Paddle, unless the program asks for another device.

    >>> from penstock import paddle
    >>> place = paddle.set_device("gpu")
    >>> x = paddle.ones([2, 2])
    >>> with paddle.amp.auto_cast():
    ...     y = paddle.matmul(x, x)
    ...     total = paddle.sum(y)
    >>> print(y.dtype, total.dtype, paddle.matmul(x, x).dtype)
    paddle.float16 paddle.float32 paddle.float32
    >>> place = paddle.set_device("cpu")
    """

    def __init__(
        self,
        enable: bool = True,
        custom_white_list: Iterable[str] | None = None,
        custom_black_list: Iterable[str] | None = None,
        level: str = "O1",
        dtype: str = "float16",
        use_promote: bool = True,
    ) -> None:
        level = level.upper()
        if level not in ("O0", "OD", "O1", "O2"):
            raise InvalidValueError("level should be O0, OD, O1 or O2.", site=here())
        name = str(getattr(dtype, "name", dtype)).lower()
        if enable and name not in ("float16", "bfloat16"):
            raise InvalidValueError(
                "If enable amp, dtype should be 'float16' or 'bfloat16'.", remedy="", site=here()
            )
        white, black = (
            {NAMES.get(one, one) for one in given or ()} for given in (custom_white_list, custom_black_list)
        )
        if white & black:
            raise InvalidValueError("Custom white list overlap custom black list", site=here())
        self._state = None
        if enable and level != "O0":
            usual = PURE_BLACK if level == "O2" else BLACK
            chosen = (WHITE | white) - black, (usual | black) - white
            promotes = bool(use_promote) or level != "O2"
            self._state = _State(dtype_of(name), level, *chosen, promotes)
        self._before: list[_State | None] = []

    def __enter__(self) -> None:
        from penstock.paddle import _place

        state = self._state
        if state is not None and not _place.accelerated():
            _place.without_effect("amp_guard", "CUDAPlace, XPUPlace, and CustomPlace")
            state = None
        self._before.append(_inside.state)
        _switch(state, _frame(1))

    def __exit__(self, *exception: object) -> None:
        _switch(self._before.pop(), _frame(1))

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any, **options: Any) -> Any:
            with self:
                return function(*arguments, **options)

        wrapper.__name__ = getattr(function, "__name__", "function")
        return wrapper


@named("paddle.is_autocast_enabled", "paddle.amp.is_autocast_enabled")
def is_autocast_enabled(device_type: Any = None) -> bool:
    """Returns whether operations choose their dtype here. `device_type` does nothing, as in Paddle.

    >>> from penstock import paddle
    >>> paddle.is_autocast_enabled()
    False
    """
    return _inside.state is not None


@named(
    "paddle.get_autocast_dtype",
    "paddle.get_autocast_cpu_dtype",
    "paddle.get_autocast_gpu_dtype",
    "paddle.amp.get_autocast_dtype",
    "paddle.amp.get_autocast_cpu_dtype",
    "paddle.amp.get_autocast_gpu_dtype",
)
def get_autocast_dtype(device_type: Any = None) -> str:
    """Returns the dtype of the block by name, "float16" outside. `device_type` does nothing, as in Paddle.

    >>> from penstock import paddle
    >>> paddle.get_autocast_dtype()
    'float16'
    """
    return "float16" if _inside.state is None else _inside.state.dtype.name


def _switch(state: _State | None, frame: Any) -> None:
    """Enters a state. The same operations after it are a different path in the record."""
    _inside.state = state
    tape = standing()
    tape.precision = None if state is None else state.key
    local.trace.mark("precision", tape.precision, frame, tape=STANDING)


def _promoted(name: str, specs: Sequence[Spec | None], numbers: Sequence[Any]) -> np.dtype[Any]:
    usual = _usual(name, specs, numbers)
    state = _inside.state
    if state is None or usual.kind not in "fV":
        return usual
    return state.wanted(name, [one.dtype for one in specs if one is not None]) or usual


def _adapted(name: str, tensors: list[Any]) -> list[Any]:
    """Returns the operands of a composed function in the dtype that it needs."""
    state = _inside.state
    if state is None:
        return tensors
    floating = [one for one in tensors if not isinstance(one, float) and one._spec.dtype.kind in "fV"]
    wanted = state.wanted(name, [one._spec.dtype for one in floating])
    if wanted is None:
        return tensors
    known = {id(one) for one in floating if one._spec.dtype != wanted}
    return [cast.record((one,), {"dtype": wanted}, _frame(0)) if id(one) in known else one for one in tensors]


def looked_up(table: Any, found: Any, frame: Any) -> Any:
    """Returns rows of a table in the dtype that a lookup has in this block."""
    state = _inside.state
    wanted = None if state is None else state.wanted("embedding", [table._spec.dtype])
    if wanted is None or wanted == found._spec.dtype:
        return found
    return cast.record((found,), {"dtype": wanted}, frame)


def like_input(name: str, x: Any, found: Any, frame: Any) -> Any:
    """Returns the result of a norm in the dtype of x, even if its parameters have another one.

    It stays in float32 where the block says that the norm computes in it.
    """
    state, own = _inside.state, x._spec.dtype
    if found._spec.dtype == own or own.kind not in "fV":
        return found
    if state is not None and state.wanted(name, [own]) is not None:
        return found
    return cast.record((found,), {"dtype": own}, frame)


_usual = rules["paddle"]
rules["paddle"] = _promoted
composite.adapted = _adapted
