"""Functions that fail while they are traced: what they had done until then, and the lines in their errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from penstock.frameworks.tensorflow.entries import Inside, Numbers
from penstock.frameworks.tensorflow.playing import Player
from penstock.trace.source_site import PACKAGE

if TYPE_CHECKING:
    from penstock.frameworks.tensorflow.watcher import Watcher


class Failures:
    """The functions whose tracing has just failed, the innermost first."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._graphs: list[Any] = []

    def trace(self, original: Callable[..., Any], given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Lets TensorFlow trace a function; if that fails, what it had done is put into the window."""
        try:
            result = original(*given, **named)
        except BaseException:
            watcher = self._watcher
            graph = named.get("func_graph")
            if graph is not None and not watcher.quiet:
                self._graphs.append(graph)
                if watcher.script() is None:
                    self._play()
            raise
        self._graphs.clear()
        return result

    def _play(self) -> None:
        """Puts what the functions had done into the window: their writes never took effect."""
        watcher = self._watcher
        graphs, self._graphs = self._graphs[::-1], []
        scripts = [watcher.traced.script(graph) for graph in graphs]
        if watcher.window is None:
            if not any(
                watcher.traced.asks(one) and watcher.turns.is_new(watcher.traced.print(one))
                for one in scripts
            ):
                return
            watcher.open_window()
        window = watcher.window
        assert window is not None
        numbers: Numbers = window.running
        for graph, script in zip(graphs, scripts, strict=True):
            numbers = self._inside(graph, numbers)
            Player(watcher.traced, window).play(script, numbers, writes=False)

    def _inside(self, graph: Any, numbers: Numbers) -> Inside:
        """Returns what a function has captured from the one around it, or from the running program."""
        watcher, inside = self._watcher, Inside()
        window = watcher.window
        assert window is not None
        for outer, own in graph.captures:
            eager = hasattr(outer, "_numpy_internal")
            known: Numbers = window.running if eager else numbers
            key = id(outer) if eager else outer.name
            parameter = watcher.registry.of_handle(outer) if eager else known.variable(key)
            if parameter is not None:
                inside.hold(own.name, parameter)
            elif (number := known.number(key)) is not None:
                inside.bind(own.name, number)
        return inside


def own_frames_left_out(
    original: Callable[..., Any], frames: Sequence[Any], *given: Any, **named: Any
) -> Any:
    """Lets AutoGraph describe where a program failed, without the functions that watch it."""
    return original([one for one in frames if not one.filename.startswith(PACKAGE)], *given, **named)


__all__ = ["Failures", "own_frames_left_out"]
