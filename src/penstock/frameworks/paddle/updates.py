"""Updates by PaddlePaddle's optimizers."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from paddle.optimizer import lr

from penstock.frameworks.eager import updates
from penstock.frameworks.eager.schedules import Schedules
from penstock.frameworks.places import here

if TYPE_CHECKING:
    from penstock.frameworks.paddle.source import Paddle


class Updates(updates.Updates):
    """The optimizers of a program, and each of their updates."""

    source: Paddle
    schedules: Schedules

    def __init__(self, source: Paddle) -> None:
        super().__init__(source, Schedules(lr))
        self._passed: set[int] = set()
        self._rates: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        self.with_gradient = self._with_gradient

    def make_optimizer(
        self, original: Callable[..., Any], owner: Any, *arguments: Any, **options: Any
    ) -> Any:
        """Creates an optimizer, and notes the line."""
        site = here(2)
        with self.source.quiet():
            result = original(owner, *arguments, **options)
            self.made(owner, site)
        rate = getattr(owner, "_learning_rate", None)
        if isinstance(rate, lr.LRScheduler):
            self._schedules[owner] = self._rates.get(rate)
        return result

    def make_schedule(
        self, original: Callable[..., Any], schedule: Any, *arguments: Any, **options: Any
    ) -> Any:
        """Creates the schedule of a learning rate, which its optimizer holds."""
        self._rates[schedule] = here(2)
        return self.schedules.make(original, schedule, schedule, *arguments, **options)

    def call_step(self, original: Callable[..., Any], optimizer: Any, *arguments: Any, **options: Any) -> Any:
        """Makes an update, and reports it."""
        closure = next((one for one in (*arguments, *options.values()) if callable(one)), None)
        if not self.source.is_home() or self.source.is_static():
            return original(optimizer, *arguments, **options)
        with self.source.quiet():
            if not self.begin(optimizer, closure is not None):
                return original(optimizer, *arguments, **options)
            if closure is not None:
                watched = self._around_closure(closure)
                arguments = tuple(watched if one is closure else one for one in arguments)
                options = {name: watched if one is closure else one for name, one in options.items()}
            result = original(optimizer, *arguments, **options)
            self.end(optimizer, closure is not None)
        return result

    def call_apply(self, original: Callable[..., Any], optimizer: Any, pairs: Any, *given: Any) -> Any:
        """Applies gradients that the program passes, and reports the update."""
        self._passed = {id(one) for one, gradient in pairs if gradient is not None}
        try:
            return self.call_step(original, optimizer, pairs, *given)
        finally:
            self._passed = set()

    def _around_closure(self, closure: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*given: Any, **named: Any) -> Any:
            with self.source.loud():
                return closure(*given, **named)

        return watched

    def updated(self, optimizer: Any, by: str, site: Any) -> None:
        rate = getattr(optimizer, "_learning_rate", None)
        if isinstance(rate, lr.LRScheduler):
            self.schedules.updated(rate, by, site)

    def _with_gradient(self, tensors: Sequence[Any]) -> list[Any]:
        if not self._passed:
            return self.tensors.with_gradient(tensors)
        return [one for one in tensors if id(one) in self._passed or one._grad_ivar() is not None]

    def is_found(self, tensor: Any) -> bool:
        """Returns whether a parameter has a gradient: clearing one leaves zeros by default."""
        if id(tensor) in self._passed or self.source.gradients.given(tensor):
            return True
        gradient = self.tensors.gradient(tensor)
        return gradient is not None and not self.tensors.is_zero(gradient)


__all__ = ["Updates"]
