"""Functions that a program compiles: while steps are only counted, each call counts what it writes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from types import MethodType
from typing import TYPE_CHECKING, Any

import jax
from jax._src import core

from penstock.frameworks.jax.parameter import Parameter
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.jax.watcher import Watcher


@dataclass(slots=True)
class Line:
    """What one call of a compiled function writes on one line.

    `places` are those of the old and the new value of each parameter among the leaves of the arguments and
    of the results, None where there is no such leaf.
    """

    by: str
    site: Site | None
    parameters: list[Parameter]
    places: list[tuple[int | None, int | None]]
    idle: set[int]
    times: int
    chosen: bool

    @property
    def key(self) -> tuple[object, ...]:
        """The same for lines that write the same."""
        return self.by, self.site, self.times, *[one.uid for one in self.parameters]


class Jitted:
    """A compiled function of the program, in the place of JAX's own object, which has all its attributes.

    `exact` says that its calls do not all write the same, so that each is looked into.
    """

    def __init__(self, real: Any, watcher: Watcher) -> None:
        functools.update_wrapper(self, real)
        self._real, self._watcher = real, watcher
        self._lines: dict[int, list[Line]] = {}
        self.exact = False
        self.lines: list[Line] = []

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        watcher = self._watcher
        if watcher.is_away or core.trace_ctx.trace is not core.eval_trace:
            return self._real(*arguments, **options)
        before, watcher.current = watcher.current, self
        watcher.handled = False
        olds: list[Any] | None = None
        counts = bool(self.lines) and watcher.window is None and not self.exact
        if counts and watcher.is_due(self.lines):
            olds = watcher.copies(jax.tree_util.tree_leaves((arguments, options)), self.lines)
        try:
            result = self._real(*arguments, **options)
        finally:
            watcher.current = before
        if watcher.seen is not None:
            jaxpr, told, news = watcher.seen
            watcher.seen = None
            self._learn(jaxpr, told, news, (arguments, options), result)
        elif counts and not watcher.handled:
            watcher.count(self.lines, olds, jax.tree_util.tree_leaves(result) if olds is not None else None)
        return result

    def _learn(self, jaxpr: int, told: list[Any], news: dict[int, Any], given: Any, result: Any) -> None:
        """Notes what a call that was looked into has written."""
        ins = {id(one): place for place, one in enumerate(jax.tree_util.tree_leaves(given))}
        outs = {id(one): place for place, one in enumerate(jax.tree_util.tree_leaves(result))}
        lines = []
        for one, old in told:
            places = [
                (ins.get(id(old.get(each.uid))), outs.get(id(news.get(each.uid)))) for each in one.parameters
            ]
            lines.append(Line(one.by, one.site, one.parameters, places, one.idle, one.times, one.chosen))
        known = self._lines.get(jaxpr)
        if known and [one.key for one in known] != [one.key for one in lines]:
            self.exact = True
        self._lines[jaxpr] = lines
        if len({tuple(one.key for one in each) for each in self._lines.values()}) > 1:
            self.exact = True
        self.lines = lines

    def __get__(self, thing: Any, kind: Any = None) -> Any:
        return self if thing is None else MethodType(self, thing)

    def __repr__(self) -> str:
        return repr(self._real)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_real":
            raise AttributeError(name)
        return getattr(self._real, name)


def jit(watcher: Watcher, original: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """Compiles a function, or returns the decorator that will."""
    real = original(*given, **named)
    if hasattr(real, "lower"):
        return Jitted(real, watcher)
    return lambda fun: Jitted(real(fun), watcher)


__all__ = ["Jitted", "Line", "jit"]
