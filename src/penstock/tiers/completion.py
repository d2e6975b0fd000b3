"""Waiting for values, and before a process forks for all of them: its child continues with NumPy."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from penstock.tiers.choice import settings
from penstock.tiers.run import live_tapes
from penstock.trace.engine import engine
from penstock.trace.local import local, value_of
from penstock.trace.tensor import Tensor
from penstock.trace.tree import tree


def wait(*values: Any) -> None:
    """Runs the pending operations; returns when these variables or tensors, or all, have their values.

    Args:
        values: variables or tensors; none means everything.

    Returns:
        None.

    Raises:
        AbandonedError: if a step that was to compute a value has failed.

    >>> import penstock as ps
    >>> x = ps.Variable(1.0)
    >>> ps.wait(x.assign_add(1.0))
    """
    trace = local.trace
    if trace.pending or (not values and trace.node is not tree.root):
        trace.run(not trace.taping and not live_tapes(trace))
    for value in values:
        runtime = value._value
        if runtime is None:
            runtime = (
                value_of(value, "wait()")
                if isinstance(value, Tensor)
                else value._look("wait()", sys._getframe(1))
            )
        if type(runtime) is not np.ndarray:
            runtime.block_until_ready()
    if not values:
        block_until_ready()


def block_until_ready() -> None:
    if "jax" in sys.modules and settings.engine != "numpy":
        from penstock.tiers import compiler

        for one in compiler.jax().live_arrays() if compiler.lack() is None else ():
            one.block_until_ready()


def _before_fork() -> None:
    """Lets XLA and every other thread finish: a child process would wait forever for their results.

    A child process cannot ask an accelerator for a value, so the values there are copied to this processor's
    memory; JAX then answers from the copy.
    """
    engine.lock.acquire()
    block_until_ready()
    for one in _on_accelerators():
        np.asarray(one)


def _on_accelerators() -> list[Any]:
    """Returns the arrays on this process's accelerators."""
    if "jax" not in sys.modules or settings.engine == "numpy":
        return []
    from penstock.tiers import compiler

    if compiler.lack() is not None or compiler.jax().default_backend() == "cpu":
        return []
    return [one for one in compiler.jax().live_arrays() if one.is_fully_addressable]


def _after_fork_in_parent() -> None:
    engine.lock.release()


def _after_fork() -> None:
    """A child process has none of XLA's threads: it continues with NumPy."""
    engine.after_fork()
    if "jax" in sys.modules:
        _keep_for_ever(_on_accelerators())
        settings.engine = "numpy"


def _keep_for_ever(arrays: Sequence[Any]) -> None:
    """Keeps arrays on accelerators, and the programs there, until this forked process has ended.

    Freeing them would call the driver, which a forked process cannot: it crashes, at its exit at the latest.
    """
    if not arrays:
        return
    import ctypes

    client = next(iter(arrays[0].devices())).client
    for one in (client, *client.live_executables(), *arrays):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(one))


with suppress(AttributeError):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork
    )
