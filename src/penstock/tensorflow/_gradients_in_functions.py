"""tf.gradients in a function of tf.function: of what the function has computed, without a tape of its own."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

from penstock.grad.late import LateTape
from penstock.tensorflow._arrays import ones_like
from penstock.tensorflow._convert import tensor_of
from penstock.tensorflow._errors import ArgumentError, TapeStateError
from penstock.tensorflow._modes import inside
from penstock.tensorflow._tape import GradientTape
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.spec import differentiable
from penstock.trace.tensor import Cell


class FunctionTape(GradientTape, LateTape):
    """The tape of what a function has computed by now."""


def gradients(
    ys: Sequence[Any], xs: Sequence[Any], grad_ys: Any, stop_gradients: Sequence[Any], unconnected: Any
) -> list[Any]:
    """Returns the gradient of the sum of `ys` by each of `xs`, of what the running function has computed.

    Raises RuntimeError outside a function, and TapeStateError if the function has read a value meanwhile:
    what came before has been run then, and is not recorded any more.
    """
    if not inside.depth:
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."
        )
    if stop_gradients:
        raise ArgumentError(
            "tf.gradients with stop_gradients is not supported by penstock.tensorflow in a tf.function yet.",
            remedy="Stop them where they are used, with tf.stop_gradient(x).",
            site=here(),
        )
    frame = sys._getframe(1)
    sources = [one if isinstance(one, Cell) else tensor_of(one) for one in xs]
    tape = _tape_since_the_call(sources, frame)
    targets = [tensor_of(one) for one in ys]
    weights = None
    if grad_ys is not None:
        weights = [
            ones_like(target) if one is None else tensor_of(one, target._spec.dtype)
            for target, one in zip(targets, grad_ys, strict=True)
        ]
    return list(tape.gradient(targets, sources, weights, unconnected))


def _tape_since_the_call(sources: Sequence[Any], frame: FrameType) -> FunctionTape:
    assert inside.began is not None
    trace, generation, start, function = inside.began
    if trace is not local.trace or generation != trace.generation:
        raise TapeStateError(
            "tf.gradients was called after a value was read in the function.",
            why="Reading a value runs what was computed before it, and its record is gone.",
            remedy="Compute under `with tf.GradientTape() as tape:`, and call tape.gradient(y, x).",
            site=here(),
        )
    function.differentiates = True
    tape = FunctionTape()
    tape.since(trace, start, frame)
    for one in sources:
        if differentiable(one._spec):
            tape.watch_throughout(one, frame)
    return tape


__all__ = ["gradients"]
