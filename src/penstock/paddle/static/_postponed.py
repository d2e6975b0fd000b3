"""Objects of a static program, such as distributions: each run makes them again, from its own values."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from penstock.capture.calls import Construction, Held, filled
from penstock.paddle._mode import mode
from penstock.paddle.distribution._base import Distribution
from penstock.paddle.distribution.transform import Transform
from penstock.paddle.static._variable import build

_frame = sys._getframe


class Postponed(Held):
    """Represents an object without a value yet: its construction and all uses of it are recorded.

    For `isinstance` it has the class of that object. Used in dynamic mode, the object is made once.
    """

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return self._kind

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if not mode.builds():
            return getattr(self._now(), name)
        if callable(getattr(self._kind, name, None)):
            return functools.partial(_asked, self, name)

        def read(one: Any) -> Any:
            return getattr(one, name)

        return _written(read, name, (self,), {}, _frame(1))

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if not mode.builds():
            return self._now()(*arguments, **options)
        return _asked(self, "__call__", *arguments, **options)

    def _now(self) -> Any:
        """Returns the object itself; raises TypeError if it is made of tensors without a value."""
        if "_made" not in vars(self):
            vars(self)["_made"] = filled([self._construction], [])[0]
        return vars(self)["_made"]

    def __repr__(self) -> str:
        return f"<{self._kind.__name__} of a static program>"


def _asked(owner: Postponed, method: str, /, *arguments: Any, **options: Any) -> Any:
    def call(one: Any, *arguments: Any, **options: Any) -> Any:
        return getattr(one, method)(*arguments, **options)

    return _written(call, method.strip("_"), (owner, *arguments), options, _frame(1))


def _written(
    call: Callable[..., Any], kind: str, arguments: Sequence[Any], options: Any, frame: FrameType
) -> Any:
    """Records a call; each run also makes its result again if that is such an object."""
    found = build(call, kind, arguments, options, frame)
    if isinstance(found, Distribution | Transform):
        made = object.__new__(Postponed)
        vars(made).update(_kind=type(found), _construction=Construction(call, arguments, options))
        return made
    return found


def _nothing(one: Any) -> None:
    return None


def _initializer(kind: Any) -> Callable[..., None]:
    """Returns the function that replaces the construction of this class by a postponed object."""
    own = kind.__init__

    @functools.wraps(own)
    def __init__(self: Any, *arguments: Any, **options: Any) -> None:
        if not mode.builds() or type(self) is not kind:
            own(self, *arguments, **options)
            return
        vars(self).update(_kind=kind, _construction=Construction(kind, arguments, options))
        object.__setattr__(self, "__class__", Postponed)
        # Arguments that do not fit are refused on the line that gives them.
        build(_nothing, kind.__name__, (self,), {}, _frame(1))

    return __init__


def postpone(swap: Callable[[Any, str, Any], None]) -> None:
    """Lets `swap` change the classes that compute with tensors, those that users still write among them."""
    waiting: list[Any] = [Distribution, Transform]
    kinds: dict[Any, Any] = {}
    while waiting:
        kind = waiting.pop()
        kinds[kind] = _initializer(kind)
        waiting += [one for one in kind.__subclasses__() if one not in kinds]
    for kind, initializer in kinds.items():
        swap(kind, "__init__", initializer)

    for base in (Distribution, Transform):

        def written(kind: Any, /, base: Any = base, **options: Any) -> None:
            super(base, kind).__init_subclass__(**options)
            swap(kind, "__init__", _initializer(kind))

        swap(base, "__init_subclass__", classmethod(written))


__all__ = ["Postponed", "postpone"]
