"""Switching the recording of gradients off and on: `no_grad`, `enable_grad`, `set_grad_enabled`."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from penstock.paddle._declaring import in_paddle
from penstock.paddle._standing import recording, standing
from penstock.trace.history import STANDING
from penstock.trace.local import local
from penstock.trace.source_site import user_frame

_frame = sys._getframe


@in_paddle("paddle.autograd.is_grad_enabled")
def is_grad_enabled() -> bool:
    """Returns whether operations are being recorded for gradients.

    >>> from penstock import paddle
    >>> with paddle.no_grad():
    ...     print(paddle.is_grad_enabled())
    False
    """
    return recording()


def switch(wanted: bool, frame: FrameType) -> bool:
    """Switches recording for gradients on or off; returns the previous setting."""
    tape = standing()
    before = tape.enabled
    if before is not wanted:
        trace = local.trace
        kind = "resume" if wanted else "pause"
        node = trace.node.edges.get((kind, (), frame.f_lasti, id(frame.f_code)))
        if node is None:
            trace.mark(kind, (), frame, tape=STANDING)
        else:
            trace.node = node
        tape.enabled = wanted
    return before


class _Switch:
    """A context, and a decorator, inside which recording is on or off."""

    _wanted = False

    def __init__(self) -> None:
        self._before: list[bool] = []

    def __enter__(self) -> _Switch:
        self._before.append(switch(self._wanted, _frame(1)))
        return self

    def __exit__(self, *exception: object) -> None:
        switch(self._before.pop(), _frame(1))

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        kind = type(self)

        @functools.wraps(function)
        def wrapper(*arguments: Any, **options: Any) -> Any:
            frame = user_frame(1)
            before = switch(kind._wanted, frame)
            try:
                return function(*arguments, **options)
            finally:
                switch(before, frame)

        return wrapper


@in_paddle("paddle.autograd.no_grad")
class no_grad(_Switch):
    """A context, or a decorator, that turns off recording for gradients.

    >>> from penstock import paddle
    >>> x = paddle.to_tensor(2.0, stop_gradient=False)
    >>> with paddle.no_grad():
    ...     y = x * 3
    >>> y.stop_gradient
    True
    """

    def __new__(cls, function: Any = None) -> Any:
        made = object.__new__(cls)
        if function is None:
            return made
        made._before = []
        return made(function)


@in_paddle("paddle.autograd.enable_grad")
class enable_grad(no_grad):
    """A context, or a decorator, inside which operations are recorded for gradients."""

    _wanted = True


@in_paddle("paddle.autograd.set_grad_enabled")
class set_grad_enabled:
    """Switches recording for gradients on or off, at once or for a `with` block."""

    def __init__(self, mode: bool) -> None:
        self._before = switch(bool(mode), _frame(1))

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        switch(self._before, _frame(1))


no_grad_ = no_grad
