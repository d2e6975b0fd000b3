"""Whether a derivative passes from a result of PyTorch to an operand, and if not, the word for the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

FLAT = frozenset(("round", "floor", "ceil", "trunc", "fix", "sign", "sgn", "heaviside", "floor_divide"))
"""Functions for which PyTorch returns a derivative of zero everywhere."""
STOPS = frozenset(("detach", "detach_", "data"))
ESCAPES = frozenset(("tensor", "as_tensor", "asarray", "scalar_tensor", "new_tensor"))
"""Functions that make a tensor from numbers: tensors passed to them lose their history."""
LIKE = frozenset(
    (
        "empty_like", "full_like", "ones_like", "rand_like", "randint_like", "randn_like", "zeros_like",
        "new_empty", "new_empty_strided", "new_full", "new_ones", "new_zeros",
    )
)  # fmt: skip
"""Functions that make a tensor of the shape and dtype of another, and read no value of it."""
AS = frozenset(("expand_as", "reshape_as", "view_as", "type_as", "to"))
"""Functions that give a tensor the shape, the dtype or the device of a second one."""
MOST = 20_000
"""The most nodes of autograd's graph that are visited for one result."""


def given_to(name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Sequence[Any]:
    """Returns the arguments of a call whose values the result is computed from."""
    if name in LIKE:
        return ()
    if name in AS:
        return arguments[:1]
    return (*arguments, *options.values())


def word_between(name: str, result: Any, operand: Any, reached: Set[int], recording: bool) -> str:
    """Returns "" if a derivative passes from a result to an operand, otherwise the word for what stops it.

    `reached` are the identities of the operands that autograd's graph of the result leads to.
    """
    if name in STOPS:
        return "stopped"
    if name in ESCAPES:
        return "escaped"
    if not is_differentiable(result):
        return "discrete"
    if not is_differentiable(operand):
        return "discrete"
    if name.rstrip("_") in FLAT:
        return "flat"
    if id(operand) in reached or not operand.requires_grad or not recording:
        return ""
    return "unruled"


def is_differentiable(tensor: Any) -> bool:
    """Returns whether values of a tensor's dtype can carry a derivative."""
    return bool(tensor.dtype.is_floating_point or tensor.dtype.is_complex)


def node_of(tensor: Any) -> Any:
    """Returns the node of autograd's graph that made a tensor; None if none did.

    A view that was created without autograd and written since has none either: PyTorch refuses to return it.
    """
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def is_leaf(tensor: Any) -> bool:
    """Returns whether a tensor was not computed; the views described in `node_of` are not leaves."""
    try:
        return bool(tensor.is_leaf)
    except RuntimeError:
        return False


def key_of(tensor: Any) -> Any:
    """Returns a tensor's key in autograd's graph: a node and its output's number, or a leaf."""
    node = node_of(tensor)
    return ("leaf", id(tensor)) if node is None else (node, tensor.output_nr)


def memory(tensor: Any) -> int | None:
    """Returns the address of a tensor's memory; None if it has no memory of its own."""
    try:
        found: int = tensor.untyped_storage().data_ptr()
    except (RuntimeError, NotImplementedError, ValueError):
        return None
    return found


def reached(results: Sequence[Any], before: Sequence[tuple[Any, Any]], known: Set[Any]) -> set[int]:
    """Returns the identities of the operands that a derivative of the results reaches.

    `before` has each operand with its key from before the call, `known` the nodes of other calls: everything
    behind those belongs to them.
    """
    wanted: dict[Any, list[int]] = {}
    for operand, key in before:
        wanted.setdefault(key, []).append(id(operand))
    found: set[int] = set()
    stack = [(node, one.output_nr) for one in results if (node := node_of(one)) is not None]
    seen: set[Any] = set()
    while stack and len(seen) < MOST and wanted:
        node, output = stack.pop()
        if (node, output) in wanted:
            found.update(wanted[node, output])
            continue
        leaf = getattr(node, "variable", None)
        if leaf is not None and ("leaf", id(leaf)) in wanted:
            found.update(wanted["leaf", id(leaf)])
            continue
        if node in seen or (node in known and seen):
            continue
        seen.add(node)
        stack.extend(one for one in node.next_functions if one[0] is not None)
    return found


__all__ = [
    "ESCAPES",
    "FLAT",
    "given_to",
    "is_differentiable",
    "is_leaf",
    "key_of",
    "memory",
    "node_of",
    "reached",
    "word_between",
]
