"""Whether a derivative passes from a result of PaddlePaddle to an operand, and if not, why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penstock.frameworks.paddle.tensors import TENSORS

FLAT = frozenset(("round", "floor", "ceil", "trunc", "sign", "heaviside", "floor_divide"))
"""Functions for which PaddlePaddle returns a derivative of zero everywhere."""
STOPS = frozenset(("detach", "detach_", "stop_gradient", "data"))
LIKE = frozenset(
    (
        "full_like", "ones_like", "zeros_like", "empty_like", "full_batch_size_like", "shape", "shape64",
        "numel", "gaussian", "uniform", "randint", "eye",
    )
)  # fmt: skip
"""Functions that make a tensor of the shape and dtype of another, and read no value of it."""
AS = frozenset(("expand_as",))
"""Functions that give a tensor the shape of a second one."""
NEAR = 64
"""The most nodes of autograd's graph that are visited for one result."""


def given_to(name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Sequence[Any]:
    """Returns the arguments of a call whose values the result is computed from."""
    if name in LIKE:
        return ()
    if name in AS:
        return arguments[:1]
    return (*arguments, *options.values())


def key_of(tensor: Any) -> int | None:
    """Returns the address of the node that a gradient of a tensor arrives at; None if there is none.

    Asking a tensor that autograd does not record for its node would make one.
    """
    if tensor.stop_gradient:
        return None
    node = tensor.grad_fn
    return None if node is None else node.node_ptr()


def reached(results: Sequence[Any], wanted: set[int], most: int = NEAR) -> tuple[set[int], bool]:
    """Returns the wanted nodes that a derivative of results arrives at, and whether all were visited."""
    stack = [node for one in results if not one.stop_gradient and (node := one.grad_fn) is not None]
    found: set[int] = set()
    seen: set[int] = set()
    while stack and found != wanted:
        if len(seen) >= most:
            return found, False
        node = stack.pop(0)
        at = node.node_ptr()
        if at in seen:
            continue
        seen.add(at)
        # A node that a result itself ends at is no operand of it, unless the call has returned its operand.
        if at in wanted:
            found.add(at)
            continue
        stack.extend(one for one in node.next_functions if one is not None)
    return found, True


def word_between(
    name: str, result: Any, operand: Any, key: int | None, arrived: set[int], whole: bool, recording: bool
) -> str:
    """Returns "" if a derivative passes from a result to an operand, otherwise the word for what stops it.

    `key` is the node of the operand before the call, `arrived` are the nodes that derivatives of the results
    arrive at, `whole` says that no others can be.
    """
    if name in STOPS:
        return "stopped"
    if not TENSORS.is_differentiable(result) or not TENSORS.is_differentiable(operand):
        return "discrete"
    if name.rstrip("_") in FLAT:
        return "flat"
    if key is None or not recording or key in arrived:
        return ""
    return "unruled" if result.stop_gradient or whole else ""


__all__ = ["FLAT", "LIKE", "STOPS", "given_to", "key_of", "reached", "word_between"]
