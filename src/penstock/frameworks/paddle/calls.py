"""Observes the calls of a PaddlePaddle program: the functions of its core, and the methods of its tensors."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from types import BuiltinFunctionType
from typing import TYPE_CHECKING, Any

import paddle
from paddle import _C_ops

from penstock.frameworks.paddle.links import given_to, key_of
from penstock.frameworks.paddle.window import Window
from penstock.frameworks.places import here
from penstock.frameworks.replaced import Replaced

if TYPE_CHECKING:
    from penstock.frameworks.paddle.source import Paddle

LOOKS = {
    "item": "item()", "tolist": "tolist()", "numpy": "numpy()", "__float__": "float()", "__int__": "int()",
    "__bool__": "bool()", "__array__": "numpy()", "__format__": "format()", "__repr__": "repr()",
    "__str__": "str()", "__complex__": "complex()", "__index__": "int()", "__long__": "int()",
}  # fmt: skip
"""Methods of a tensor that give a number, an array or a text."""
METHODS = (
    "__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__div__", "__rdiv__", "__truediv__",
    "__rtruediv__", "__pow__", "__rpow__", "__matmul__", "__rmatmul__", "__mod__", "__rmod__", "__floordiv__",
    "__rfloordiv__", "__gt__", "__ge__", "__lt__", "__le__", "__eq__", "__ne__", "_getitem_dygraph",
    "_copy_to", "clone", "contiguous", "detach",
)  # fmt: skip
"""Methods of a tensor, in C, that give another one."""
WRITERS = ("_setitem_dygraph", "copy_", "set_value", "_inplace_assign")
"""Methods of a tensor that write it."""
QUIET = frozenset(("run_program", "share_buffer", "check_numerics", "seed"))
"""Functions of the core that hold no operands of the program."""
OWN = frozenset(
    (
        "adadelta_", "adagrad_", "adam_", "adamax_", "adamw_", "asgd_", "average_accumulates_",
        "decayed_adagrad", "dgc_momentum", "dpsgd", "ftrl", "fused_adam_", "lamb_", "lars_momentum_",
        "merged_adam_",
        "merged_momentum_", "momentum_", "nadam_", "radam_", "rmsprop_", "rprop_", "sgd_", "sparse_momentum",
        "check_finite_and_unscale_", "update_loss_scaling_", "coalesce_tensor_",
    )
)  # fmt: skip
"""Functions of the core that only optimizers and scalers call: they write in an update, which is watched."""
LAST = frozenset(("assign_out_",))
"""Functions that write their last operand; others whose names end in an underscore write their first."""
NAMES = {
    "set_value": "set_value",
    "copy_": "copy_",
    "_setitem_dygraph": "__setitem__",
    "assign_out_": "assign",
}
"""The user's names for functions that write."""


def tensors_in(*things: Any) -> Iterator[Any]:
    """Yields the tensors in arguments or results, in order, including those in lists and dictionaries."""
    for one in things:
        if isinstance(one, paddle.Tensor):
            yield one
        elif isinstance(one, list | tuple):
            yield from tensors_in(*one)
        elif isinstance(one, dict):
            yield from tensors_in(*one.values())


@cache
def _functions() -> dict[str, tuple[Any, ...]]:
    """Returns the functions of the core by name, each with the modules and names under which it is known."""
    known = {
        id(one): name
        for name, one in vars(_C_ops).items()
        if isinstance(one, BuiltinFunctionType) and not name.rstrip("_").endswith("_grad") and name not in OWN
    }
    found: dict[str, list[Any]] = {}
    for home, module in list(sys.modules.items()):
        if home.startswith("paddle") and "libpaddle" not in home and module is not None:
            for alias, one in list(vars(module).items()):
                if id(one) in known and one is getattr(_C_ops, known[id(one)]):
                    found.setdefault(known[id(one)], []).append((module, alias))
    return {name: tuple(held) for name, held in found.items() if name not in QUIET}


def writes_in_place(name: str) -> bool:
    """Returns whether a call of this name writes one of its tensors."""
    return name in WRITERS or (name.endswith("_") and not name.endswith("__"))


class Calls:
    """The replaced functions: those that write stay so, to be counted; others while calls are recorded."""

    def __init__(self, source: Paddle) -> None:
        self.source = source
        self._reading, self._writing = Replaced(), Replaced()
        self._on = False
        self._thread = threading.get_ident()
        self.inside = False

    def start(self) -> None:
        """Begins to watch the functions that write."""
        for name, places in _functions().items():
            if writes_in_place(name):
                self._put(self._writing, name, places)
        for name in WRITERS:
            self._put(self._writing, name, ((paddle.Tensor, name),))
        self._writing.descriptor(paddle.Tensor, "data", None, self._set_data)

    def stop(self) -> None:
        """Restores everything."""
        self.leave()
        self._writing.put_back()

    def enter(self) -> None:
        """Begins to watch all other functions."""
        if self._on:
            return
        self._on = True
        for name, places in _functions().items():
            if not writes_in_place(name):
                self._put(self._reading, name, places)
        for name in (*METHODS, *LOOKS):
            if name in vars(paddle.Tensor):
                self._put(self._reading, name, ((paddle.Tensor, name),))
        self._put(self._reading, "to_tensor", _holders(paddle.to_tensor))
        self._reading.descriptor(paddle.Tensor, "grad", self._get_gradient, self._set_gradient)
        self._reading.descriptor(paddle.Tensor, "stop_gradient", None, self._set_flag)

    def leave(self) -> None:
        """Restores them."""
        if self._on:
            self._on = False
            self._reading.put_back()

    def _put(self, replaced: Replaced, name: str, places: Sequence[tuple[Any, str]]) -> None:
        """Replaces a function wherever a module of PaddlePaddle has it."""
        owner, alias = places[0]
        original = getattr(owner, alias)
        home, source = self._thread, self.source

        def instead(*arguments: Any, **options: Any) -> Any:
            if self.inside or not source.is_awake or threading.get_ident() != home:
                return original(*arguments, **options)
            self.inside = True
            try:
                return source.called(name, original, arguments, options)
            finally:
                self.inside = False

        instead.__name__, instead.__doc__ = name, original.__doc__
        instead.__wrapped__ = original  # type: ignore[attr-defined]
        for holder, own in places:
            replaced.put(holder, own, instead)

    def is_typed(self) -> bool:
        """Returns whether a property is read or set by the program itself, in a recorded stretch."""
        return self.source.recording and not self.inside and threading.get_ident() == self._thread

    def _get_gradient(self, tensor: Any, get: Callable[[Any], Any]) -> Any:
        if not self.is_typed():
            return get(tensor)
        self.inside = True
        try:
            return self.source.read_gradient(tensor, get(tensor))
        finally:
            self.inside = False

    def _set_gradient(self, tensor: Any, value: Any, put: Callable[[Any, Any], None]) -> None:
        put(tensor, value)
        if self.is_typed() and value is None:
            self.source.gradients.clear([tensor], here(2))

    def _set_flag(self, tensor: Any, value: Any, put: Callable[[Any, Any], None]) -> None:
        if not self.is_typed():
            put(tensor, value)
            return
        self.inside = True
        try:
            before = tensor.stop_gradient
            put(tensor, value)
            self.source.set_flag(tensor, bool(before), bool(value))
        finally:
            self.inside = False

    def _set_data(self, tensor: Any, value: Any, put: Callable[[Any, Any], None]) -> None:
        put(tensor, value)
        if not self.inside and self.source.is_awake and threading.get_ident() == self._thread:
            self.inside = True
            try:
                self.source.by_hand.wrote_in_place("data", tensor, here(2), value)
            finally:
                self.inside = False


def _holders(function: Any) -> list[tuple[Any, str]]:
    """Returns the modules of PaddlePaddle that have a function, and its name in each."""
    return [
        (module, name)
        for home, module in list(sys.modules.items())
        if home.startswith("paddle") and module is not None
        for name, one in list(vars(module).items())
        if one is function
    ]


def record(
    source: Paddle,
    window: Window,
    name: str,
    function: Callable[..., Any],
    arguments: Sequence[Any],
    options: Mapping[str, Any],
) -> Any:
    """Makes a call and records it."""
    operands = list({id(one): one for one in tensors_in(*given_to(name, arguments, options))}.values())
    if name in LOOKS:
        gave = function(*arguments, **options)
        if operands and window.stems(operands[0]):
            window.look(operands[0], LOOKS[name], gave, here(2))
        return gave
    if name == "to_tensor":
        return _made(source, window, function, arguments, options, operands)
    in_place = writes_in_place(name)
    target = (operands[-1] if name in LAST else operands[0]) if in_place and operands else None
    if target is not None and name in LAST:
        # Its former value is not read.
        operands = operands[:-1]
    relevant = any(map(window.stems, operands)) or (target is not None and window.stems(target))
    if not relevant:
        return function(*arguments, **options)
    keys = [key_of(one) for one in operands]
    result = function(*arguments, **options)
    site = here(2)
    if target is not None:
        leaf = source.by_hand.is_known(target)
        written = next((one for one in tensors_in(*arguments[1:], options) if one is not target), None)
        if name in LAST:
            written = operands[0] if operands else None
        source.by_hand.wrote_in_place(NAMES.get(name, name), target, site, written)
        made = [] if leaf else [target]
    else:
        own = {id(one) for one in operands}
        made = [one for one in tensors_in(result) if id(one) not in own]
        if name in ("batch_norm", "sync_batch_norm_"):
            made = made[:1]
    if made:
        window.follow_recording(site)
        window.call(name, operands, keys, made, site)
    return result


def _made(
    source: Paddle,
    window: Window,
    function: Callable[..., Any],
    arguments: Sequence[Any],
    options: Mapping[str, Any],
    operands: Sequence[Any],
) -> Any:
    """Makes and records a tensor from numbers, arrays or tensors, without their history."""
    result = function(*arguments, **options)
    site = here(3)
    if not isinstance(result, paddle.Tensor) or any(result is one for one in operands):
        return result
    if not result.stop_gradient:
        source.registry.note_made(result, site)
    for one in operands:
        if window.stems(one):
            window.look(one, "paddle.to_tensor()", result.numpy(), site)
    if operands and any(map(window.stems, operands)):
        window.came_from(result, operands, site)
    else:
        window.came_in(result, next(iter([*arguments[:1], *options.values()]), None), site)
    return result


__all__ = ["Calls", "record", "tensors_in", "writes_in_place"]
