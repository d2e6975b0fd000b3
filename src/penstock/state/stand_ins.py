"""Tensors that stand in for variables in a block: they are read there, and writes replace them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from penstock.trace.local import local
from penstock.trace.tensor import Cell, Tensor


class StandIns:
    """The tensors that are read in the place of variables while it is entered; gradients go on in them.

    The variables keep their values. Blocks may be nested: in an inner one, tensors of the outer one do not
    count.

    >>> import penstock as ps
    >>> weight = ps.Variable(2.0)
    >>> with StandIns([(weight, ps.asarray(5.0))]):
    ...     doubled = weight * 2
    >>> float(doubled), float(weight * 2)
    (10.0, 4.0)
    """

    __slots__ = ("_around", "_generation", "_kept", "_trace", "tensors")

    def __init__(self, pairs: Iterable[tuple[Cell, Tensor]] = ()) -> None:
        self.tensors: dict[int, Tensor] = {variable._uid: tensor for variable, tensor in pairs}
        self._kept: dict[int, Any] = {}
        self._around: StandIns | None = None
        self._trace: Any = None
        self._generation = -1

    def enter(self, around: StandIns | None = None) -> None:
        """Puts the tensors in place; `around` are those in whose block this happens."""
        self._around, self._trace = around, local.trace
        if around is not None:
            around._take_away()
        self._put()

    def leave(self) -> None:
        """Takes the tensors away."""
        self._take_away()
        if self._around is not None:
            self._around._put()

    def __enter__(self) -> StandIns:
        self.enter()
        return self

    def __exit__(self, *error: object) -> None:
        self.leave()

    def put(self, variable: Cell, tensor: Tensor) -> None:
        """Lets a tensor stand in for a variable from here on."""
        trace, uid = self._trace, variable._uid
        if local.trace is not trace and local.trace.nested is not None:
            local.trace.nested.refuse_write(variable)
        if uid not in self.tensors:
            self._keep(uid)
        trace.current.pop(uid, None)
        self.tensors[uid] = tensor
        trace.stale.add(uid)

    def _put(self) -> None:
        trace = self._trace
        self._generation = trace.generation
        for uid in self.tensors:
            self._keep(uid)
        trace.stand_ins = self.tensors
        trace.stale.update(self.tensors)

    def _keep(self, uid: int) -> None:
        """Keeps where the path has the variable's own value, which may not have been computed yet."""
        trace = self._trace
        self._kept[uid] = trace.current.pop(uid, None), trace.again.pop(uid, None), uid in trace.stale

    def _take_away(self) -> None:
        trace = self._trace
        trace.stand_ins = {}
        # A path that has been run to its end since then has given the variables their values.
        same = trace.generation == self._generation
        for uid in self.tensors:
            trace.current.pop(uid, None)
            trace.again.pop(uid, None)
            trace.stale.discard(uid)
            present, again, stale = self._kept.pop(uid) if same else (None, None, False)
            if present is not None:
                trace.current[uid] = present
            if again is not None:
                trace.again[uid] = again
            if stale:
                trace.stale.add(uid)
        self._kept = {}


__all__ = ["StandIns"]
