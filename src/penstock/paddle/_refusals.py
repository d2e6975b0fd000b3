"""Errors for gradients that cannot be computed: the name, the reason, the line, and what to type."""

from __future__ import annotations

from typing import Any

from penstock.flow.source import called, line_at
from penstock.paddle._errors import BackwardTwiceError, ChangedError, KernelError, UnreachableError
from penstock.paddle._record import record_of
from penstock.trace.source_site import Site, here
from penstock.trace.tensor import Cell


def refuse_freed(path: Any, record: Any, freed: Any, gone: Any, entries: Any) -> None:
    """Raises SystemError if a gradient passes what an earlier one has freed.

    `path` is the trace, or the past, whose record this is. `freed` are the operations that the gradient
    passes, `gone` the slots of data on its way whose history was freed in the path that made them.
    """
    since = getattr(path, "spent", None) or {}
    if not freed.isdisjoint(record.spent) or any(slot in since for slot in freed):
        raise second_backward(path.node, record, freed, since)
    if gone:
        entry = entries[record.calls[max(gone)].primitive.entry]
        raise _freed_before(entry() if callable(entry) else entry)


def _freed_before(result: Any) -> BackwardTwiceError:
    """Returns the error for a result of a step that is over, whose history a backward pass has freed."""
    past = getattr(result, "_past", None)
    if past is None:
        return history_gone(result)
    record, since = record_of(past.node, past.historic), past.spent or {}
    behind = record.behind([result._slot])
    freed = record.operations(behind)
    if freed.isdisjoint(record.spent) and not any(slot in since for slot in freed):
        gone = record.gone.intersection(behind)
        if not gone:
            return history_gone(result)
        entry: Any = past.entries[record.calls[max(gone)].primitive.entry]
        return _freed_before(entry() if callable(entry) else entry)
    return second_backward(past.node, record, freed, since)


def second_backward(node: Any, record: Any, freed: Any, since: Any) -> BackwardTwiceError:
    """Returns the error for a backward pass through values that an earlier one has freed.

    `since` are the slots freed after the step was over, each with the line.
    """
    last = max(slot for slot in freed if slot in record.spent or slot in since)
    call = record.calls[last]
    earlier: Site | None = since.get(last)
    for one in node.path():
        if one.event.kind == "gradient" and last in one.event.details.get("spent", ()):
            earlier = one.event.site
            break
    name = call.within or call.primitive.name
    return BackwardTwiceError(
        f"The graph of {name} at {call.site} does not exist any more. You calculate backward twice for the "
        "same subgraph without setting retain_graph=True.",
        origin=f"the first backward was at {earlier}" if earlier else "",
        why="A backward pass frees its graph.",
        remedy="Set retain_graph=True in the first backward/grad call, or compute the loss again.",
        site=here(),
    )


def refuse_overwritten(record: Any, slots: Any, since: Any = None) -> None:
    """Raises RuntimeError if a gradient needs a value that was written in place after it was saved."""
    found = record.overwritten(slots, since)
    if found is None:
        return
    call, site = found
    name = call.within or call.primitive.name
    raise ChangedError(
        f"A tensor used in gradient computation, in {name} at {call.site}, has been modified by an inplace "
        f"operation at {site}. Please fix your code to void calling an inplace operator after using the "
        "Tensor which will used in gradient computation.",
        why=f"The gradient of {name} is computed from the value that is gone.",
        remedy="Write a copy: y = x.clone(), then y.add_(1); or make a new tensor, y = x + 1.",
        site=here(),
    )


def refuse_not_kept(record: Any, slots: Any) -> None:
    """Raises RuntimeError if a gradient comes to a result of which Paddle keeps nothing for a gradient."""
    for slot in slots if record.refused else ():
        if slot in record.refused:
            name = record.refused[slot]
            raise KernelError(
                f"The gradient of {name}, at {record.calls[slot].site}, is not computed: Tensor holds no "
                "memory.",
                why="Paddle's kernel keeps what a gradient needs in training alone.",
                remedy="Call layer.train() before the forward pass, and layer.eval() after it.",
                site=here(),
            )


def history_gone(target: Any) -> BackwardTwiceError:
    """Returns the error for a tensor, or None, whose step is over and whose history was not kept."""
    name = "a result" if target is None else name_of(target)
    return BackwardTwiceError(
        f"The graph of {name} does not exist any more. You calculate backward twice for the same "
        "subgraph without setting retain_graph=True.",
        why="A backward pass frees its graph.",
        remedy="Set retain_graph=True in the first backward/grad call, or compute the loss again.",
        site=here(),
    )


def hook_gone(call: Any) -> BackwardTwiceError:
    """Returns the error for a hook whose tensor no longer exists, in a finished step."""
    return BackwardTwiceError(
        f"The result of {call.within or call.primitive.name} at {call.site} has a hook, and the step that "
        "made it is over.",
        why="A hook is kept with its tensor, which the program has dropped.",
        remedy="Keep the tensor until backward() is called, or call backward() in the same step.",
        site=here(),
    )


def name_of(tensor: Any) -> str:
    """Returns the program's name for a tensor: the name it was assigned to, or Paddle's."""
    if isinstance(tensor, Cell):
        return called(tensor)
    if not hasattr(tensor, "name"):
        return f"what {tensor.primitive.name} made at {tensor.site}"
    return tensor.name  # type: ignore[no-any-return]


def unreachable(position: int, source: Any, target: Any) -> UnreachableError:
    """Returns the error for `paddle.grad` by a tensor that the output does not depend on."""
    name = name_of(source)
    fact = (
        f"The {position}-th input does not appear in the backward graph. Please check the input tensor or "
        "set allow_unused=True to get None result."
    )
    if source.stop_gradient:
        set_at = source._noted("set") if not isinstance(source, Cell) else None
        made = getattr(source, "site", None)
        flag = source._flags[-1] if isinstance(source, Cell) else None  # type: ignore[attr-defined]
        if flag is not None and flag.by == "assignment":
            set_at = flag.site
        if set_at is not None:
            how = f"{name}.stop_gradient was set to True at {set_at}"
        elif flag is not None and flag.by == "to_tensor":
            default = "" if "stop_gradient" in line_at(made) else " by default"
            how = f"{name}.stop_gradient is True{default}, since paddle.to_tensor at {made}"
        elif made is not None:
            how = f"{name}.stop_gradient is True, since it was made at {made}"
        else:
            how = f"{name}.stop_gradient is True"
        return UnreachableError(
            fact,
            origin=f"the input is {name}; no gradient: frozen\n{how}"
            + (f"\n{name} created at {made}" if made is not None else ""),
            why="A tensor that stops gradients records nothing.",
            remedy=f"Write {name}.stop_gradient = False before computing with it.",
            site=here(),
        )
    from penstock.flow.answers import answer

    try:
        found: Any = answer(target, source)
        origin = f"the input is {name}; no gradient: {found.reason}\n{found}"
    except Exception:
        origin = f"the input is {name}"
    return UnreachableError(
        fact,
        origin=origin,
        remedy=f"Compute the output with {name}, or leave {name} out of the inputs.",
        site=here(),
    )
