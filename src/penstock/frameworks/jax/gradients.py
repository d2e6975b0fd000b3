"""Functions that a program differentiates: their regions, arguments, results and gradients."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import jax
from jax._src import core

from penstock.frameworks.jax.keys import Key
from penstock.frameworks.jax.operations import is_differentiable
from penstock.frameworks.jax.scripts import Entry
from penstock.frameworks.jax.window import Type, type_of
from penstock.frameworks.places import here

if TYPE_CHECKING:
    from penstock.frameworks.jax.watcher import Watcher

_PLUMBING = frozenset(("states", "_graphdef", "value", "raw_value", "_mapping", "_state", "graphdef"))
"""Parts of paths that are Flax' own."""


class Gradients:
    """Watches `jax.grad` and `jax.value_and_grad`, which the libraries on JAX call, too."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    def grad(self, original: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Makes a function that returns gradients."""
        return self._function(original, False, given, named)

    def value_and_grad(self, original: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Makes a function that returns a value and gradients."""
        return self._function(original, True, given, named)

    def _function(
        self, original: Callable[..., Any], valued: bool, given: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        if not given or not callable(given[0]):
            return original(*given, **named)
        fun, *rest = given
        argnums = rest[0] if rest else named.get("argnums", 0)
        has_aux = bool(rest[1] if len(rest) > 1 else named.get("has_aux", False))
        calls: list[_Call | None] = []

        @functools.wraps(fun)
        def watched(*arguments: Any, **options: Any) -> Any:
            call = calls[-1] if calls else None
            if call is None:
                return fun(*arguments, **options)
            # What the function differentiates itself is another call.
            calls.append(None)
            try:
                return call.run(fun, arguments, options)
            finally:
                calls.pop()

        real = original(watched, *rest, **named)
        watcher = self._watcher
        how = "value_and_grad" if valued else "grad"
        names = _names(fun)

        @functools.wraps(real)
        def outer(*arguments: Any, **options: Any) -> Any:
            entries = watcher.begin(2)
            if entries is None:
                watcher.asked_later(arguments, argnums, names)
                return real(*arguments, **options)
            call = _Call(watcher, entries, how, argnums, has_aux, arguments, names)
            calls.append(call)
            watcher.quiet += 1
            try:
                result = real(*arguments, **options)
            finally:
                watcher.quiet -= 1
                calls.pop()
            call.finish(result, valued)
            return result

        return outer


class _Call:
    """One call of a differentiated function."""

    def __init__(
        self, watcher: Watcher, recorder: Recorder, how: str, argnums: Any, has_aux: bool,
        arguments: tuple[Any, ...], names: Sequence[str],
    ) -> None:  # fmt: skip
        self._watcher, self._recorder, self._how = watcher, recorder, how
        self._places = [argnums] if isinstance(argnums, int) else list(argnums)
        self._single, self._has_aux = isinstance(argnums, int), has_aux
        self._arguments, self._names = arguments, names
        self._site = here(3)
        self._sources: list[tuple[int, Key, Type]] = []
        self._results: list[Key | None] = []
        self._targets: list[tuple[Key | None, Type]] = []
        self._ran = False

    def run(self, fun: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Runs the function, in which JAX records what is to be differentiated."""
        watcher, put, keys = self._watcher, self._recorder.put, self._watcher.keys
        arguments_of: list[tuple[Any, ...]] = []
        place = 0
        for argument in self._places:
            name = self._names[argument] if 0 <= argument < len(self._names) else ""
            outside, _ = jax.tree_util.tree_flatten_with_path(self._arguments[argument])
            inside = jax.tree_util.tree_leaves(arguments[argument])
            for (path, outer), inner in zip(outside, inside, strict=True):
                key, type_ = keys.give(inner), type_of(core.typeof(inner))
                if key is not None and is_differentiable(type_.dtype):
                    outer_key = keys.give(outer)
                    arguments_of.append((self, path_of(name, path), key, outer_key, type_, self._site))
                    self._sources.append((place, key, type_))
                place += 1
        for _, path, _, outer_key, type_, site in arguments_of:
            put("given", path, outer_key, type_, site)
        put("opened", self, self._site)
        for one in arguments_of:
            put("argument", *one)
        trace = core.trace_ctx.trace
        quiet, watcher.quiet = watcher.quiet, 0
        watcher.linear[id(trace)] = self._recorder
        try:
            result = fun(*arguments, **options)
        finally:
            del watcher.linear[id(trace)]
            watcher.quiet = quiet
            put("closed", self, self._site)
        value = result[0] if self._has_aux else result
        for one in jax.tree_util.tree_leaves(value):
            self._targets.append((keys.of(one), type_of(core.typeof(one))))
        self._results = [keys.of(one) for one in jax.tree_util.tree_leaves(result)]
        self._ran = True
        return result

    def finish(self, result: Any, valued: bool) -> None:
        """Records the request, and which results of JAX are values of the function."""
        watcher = self._watcher
        if not self._ran:
            return
        if valued:
            given, gradients = result
        else:
            gradients, given = result if self._has_aux else (result, None)
        found = jax.tree_util.tree_leaves((gradients,) if self._single else gradients)
        give = watcher.keys.give
        sources = [
            (key, give(found[place]), type_) for place, key, type_ in self._sources if place < len(found)
        ]
        put = self._recorder.put
        put("asked", self, self._how, self._site, self._targets, sources)
        leaves = jax.tree_util.tree_leaves(given)
        results = self._results if valued else self._results[len(self._targets) :]
        if len(leaves) == len(results):
            for one, key in zip(leaves, results, strict=True):
                new = give(one)
                if new is not None and key is not None:
                    put("alias", new, key)
        self._recorder.end()


class Recorder:
    """Where what a call does is put: into the window at once, or into the script of a traced program."""

    def put(self, name: str, *arguments: Any) -> None:
        """Puts an entry."""
        raise NotImplementedError

    def end(self) -> None:
        """Notes that the call is over."""


class Listed(Recorder):
    """Collects the entries of one call in a traced program."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def put(self, name: str, *arguments: Any) -> None:
        self.entries.append((name, arguments))


def _names(fun: Any) -> list[str]:
    """Returns the names of a function's positional arguments."""
    try:
        found = inspect.signature(fun).parameters.values()
    except (TypeError, ValueError):
        return []
    # Equinox has functions of its own, whose arguments begin with an underscore, around those of a program.
    return [
        "" if one.name.startswith("_") else one.name
        for one in found
        if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
    ]


def path_of(name: str, path: Sequence[Any]) -> str:
    """Returns the path of a leaf of an argument: "params/Dense_0/kernel"."""
    parts = [name] if name else []
    for one in _labels(path):
        if parts[-1:] != [one]:
            parts.append(one)
    return "/".join(parts) or "argument"


def _labels(path: Sequence[Any]) -> Iterator[str]:
    skips = False
    for one in path:
        label = next((getattr(one, at) for at in ("key", "name", "idx") if hasattr(one, at)), one)
        text = str(label)
        if skips and text.isdigit():
            # The part of a model that is differentiated.
            skips = False
            continue
        skips = text == "states" or text == "_states"
        if not skips and text not in _PLUMBING:
            yield text


__all__ = ["Gradients", "Listed", "Recorder", "path_of"]
