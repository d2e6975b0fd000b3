"""A function of a data set's elements: as a graph if it shows that TensorFlow traces it, or else as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.tensorflow._modes import traced_once
from penstock.tensorflow._noticed import is_noticed


class Traced:
    """What is called for each element, and what describes the result: `spec`, or what `describe` returns.

    `given` returns what describes an element; it is asked only if the code of the function shows that it
    runs, or once the result has to be described.
    """

    def __init__(self, function: Callable[..., Any], given: Callable[[], Any]) -> None:
        self._code, self._given = function, given
        self.spec: Any = None
        self.describe: Callable[[], Any] | None = None
        if not is_noticed(function):
            self.function, self.describe = traced_once(function), self._described
            return
        described = given()
        made = None if described is None else _traced(function, described)
        if made is None:
            self.function = traced_once(function, described)
        else:
            self.spec = made.spec
            self.function = made.compute or traced_once(function, described, already=True)

    def _described(self) -> Any:
        described = self._given()
        made = None if described is None else _traced(self._code, described)
        return None if made is None else made.spec


def _traced(function: Callable[..., Any], described: Any) -> Any:
    from penstock.tensorflow._graphs.data_functions import traced

    return traced(function, described)


__all__ = ["Traced"]
