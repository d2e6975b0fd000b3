"""tf.autodiff: the tape, and derivatives along a direction."""

from __future__ import annotations

import contextlib as _contextlib
import sys as _sys
import threading as _threading
from types import TracebackType as _TracebackType
from typing import Any

from penstock.grad.tape import GradientTape as _NativeTape
from penstock.tensorflow._arrays import zeros_like as _zeros_like
from penstock.tensorflow._convert import operand as _operand
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._tape import UnconnectedGradients as _UnconnectedGradients
from penstock.trace.source_site import here as _here
from penstock.trace.structure import flat as _flat
from penstock.trace.structure import mapped as _mapped
from penstock.trace.structure import outline as _outline
from penstock.trace.tensor import Cell as _Cell
from penstock.trace.tensor import Tensor as _Tensor


class _Open(_threading.local):
    """The accumulators of this thread whose blocks have not ended."""

    def __init__(self) -> None:
        self.accumulators: list[ForwardAccumulator] = []


_open = _Open()


class ForwardAccumulator:
    """Gives derivatives along `tangents`, one for each of `primals`, of the results of its `with` block.

    It records as a tape does; the derivative is two reverse passes, of which only the necessary part runs.

    >>> from penstock import tensorflow as tf
    >>> x = tf.constant([2.0, 3.0])
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as forward:
    ...     y = tf.reduce_sum(x * x)
    >>> print(forward.jvp(y))
    tf.Tensor(4.0, shape=(), dtype=float32)
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        if _outline(primals) != _outline(tangents):
            raise _ArgumentError(
                "The two structures don't have the same nested structure.",
                origin="primals and tangents of a ForwardAccumulator",
                remedy="Give each primal a tangent of its shape.",
                site=_here(),
            )
        self._primals = _flat(primals)
        self._tangents = [
            _operand(one, primal._spec.dtype if isinstance(primal, _Tensor | _Cell) else None)
            for one, primal in zip(_flat(tangents), self._primals, strict=True)
        ]
        for primal, tangent in zip(self._primals, self._tangents, strict=True):
            if not isinstance(primal, _Tensor | _Cell):
                raise _ArgumentError(
                    f"ForwardAccumulator was given {type(primal).__name__} {primal!r}.",
                    remedy="Convert it to a tensor first, with tf.constant, and compute with that.",
                    site=_here(),
                )
            if primal._spec.shape != tangent._spec.shape:
                raise _ArgumentError(
                    f"The tangent {tangent._spec!r} does not fit the primal {primal._spec!r}.", site=_here()
                )
        self._tape = _NativeTape(persistent=True, watch_accessed_variables=False)
        self._around: tuple[ForwardAccumulator, ...] = ()

    def __enter__(self) -> ForwardAccumulator:
        self._around = tuple(_open.accumulators)
        _open.accumulators.append(self)
        self._tape.__enter__()
        self._tape.watch(*self._primals)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: _TracebackType | None,
    ) -> None:
        _open.accumulators.remove(self)
        self._tape.__exit__(kind, error, traceback)

    def jvp(self, primals: Any, unconnected_gradients: Any = _UnconnectedGradients.NONE) -> Any:
        """Returns the derivative of each tensor, in the structure of `primals`.

        One that does not depend on the accumulator's primals has None, or zeros with "zero".
        """
        word = getattr(unconnected_gradients, "value", unconnected_gradients)
        if word not in ("none", "zero"):
            raise _ArgumentError(
                f"Unknown value for unconnected_gradients: {word!r}",
                remedy="Use 'none' or 'zero'.",
                site=_here(),
            )
        targets = _flat(primals)
        for one in targets:
            if not isinstance(one, _Tensor | _Cell):
                raise _ArgumentError(f"jvp was given {type(one).__name__} {one!r}.", site=_here())
        with _contextlib.ExitStack() as recording:
            # TensorFlow computes derivatives along with the values, so accumulators around record them.
            for one in self._around:
                if not one._tape._open:
                    recording.enter_context(one._tape)
            found = self._tape._jvp(targets, self._primals, self._tangents, _sys._getframe(1))
        for place, target in enumerate(targets):
            own = [t for p, t in zip(self._primals, self._tangents, strict=True) if p is target]
            if own:
                found[place] = own[0]
            elif found[place] is None and word == "zero":
                found[place] = _zeros_like(target)
        following = iter(found)
        return _mapped(primals, lambda _: next(following))


__getattr__, __dir__, __all__ = _namespace("tf.autodiff", globals(), "_tape")
