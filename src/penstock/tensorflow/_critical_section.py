"""tf.CriticalSection: functions that one thread at a time runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, ClassVar

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError, CallableError
from penstock.trace.source_site import here


@named("tf.CriticalSection")
class CriticalSection:
    """A section that one function is in at a time, in all threads: `section.execute(function)`.

    Sections with one `shared_name` are one section.

    >>> from penstock import tensorflow as tf
    >>> total, section = tf.Variable(0.0), tf.CriticalSection()
    >>> def add():
    ...     total.assign_add(2.0)
    ...     return total.read_value()
    >>> print(section.execute(add).numpy())
    2.0
    """

    _locks: ClassVar[dict[str, Any]] = {}

    def __init__(
        self, name: str | None = None, shared_name: str | None = None, critical_section_def: Any = None,
        import_scope: Any = None,
    ) -> None:  # fmt: skip
        if critical_section_def is not None or import_scope is not None:
            raise ArgumentError(
                "CriticalSection: critical_section_def and import_scope are not taken.",
                why="TensorFlow supports neither in functions.",
                remedy="Leave them out.",
                site=here(),
            )
        self._name = shared_name or name or "critical_section"
        self._lock = threading.RLock() if shared_name is None else self._shared(shared_name)
        self._inside = False

    @classmethod
    def _shared(cls, name: str) -> Any:
        return cls._locks.setdefault(name, threading.RLock())

    @property
    def name(self) -> str:
        """The name that was given, `critical_section` without one."""
        return self._name

    def execute(
        self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None
    ) -> Any:
        """Returns `fn()`, while which no other function is in the section.

        `exclusive_resource_access` does nothing: a variable that sections share is written by one thread at a
        time in any case. Raises ValueError if the section is executed inside itself.
        """
        if not callable(fn):
            raise CallableError("fn must be callable", site=here())
        with self._lock:
            if self._inside:
                raise ArgumentError(
                    "Attempting to lock a CriticalSection in which we are already executing",
                    origin=f"it is {self._name!r}",
                    why="A function that waits for itself would wait for ever.",
                    remedy="Call the inner function directly.",
                    site=here(),
                )
            self._inside = True
            try:
                return fn()
            finally:
                self._inside = False


__all__ = ["CriticalSection"]
