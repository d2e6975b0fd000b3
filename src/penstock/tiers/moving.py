"""Values that recur in every step are moved to the device of a run, each once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.tiers.placement import in_force
from penstock.tiers.plan import Plan
from penstock.trace.recorder import Trace
from penstock.trace.tensor import Cell


def settle_on_device(plan: Plan, trace: Trace, arguments: Sequence[Any]) -> Sequence[Any]:
    """Moves values that recur in every step (variables, the user's tensors) to XLA's device, once.

    Returns the arguments, which are `arguments` before.
    """
    from penstock.tiers import xla

    taken = trace.arguments
    owners: list[Any] = [*trace.variables, *trace.entries]
    moved: dict[int, tuple[Any, Any]] = {}
    needed = {id(one) for one in arguments if isinstance(one, np.ndarray)}
    # What entered last comes first: a long path has run with the other values already.
    for owner in reversed(owners):
        value = owner._value
        if id(value) in needed:
            owner._value = xla.on_device(value) if isinstance(owner, Cell) else xla.sent(value)
            # Keep the old value too: while it lives, no other value has its identity.
            moved.setdefault(id(value), (value, owner._value))
            if len(moved) == len(needed):
                break
    for position, argument in enumerate(taken):
        if id(argument) in moved:
            taken[position] = moved[id(argument)][1]
    return plan.arguments(trace)


def put_on_devices(plan: Plan, trace: Trace) -> tuple[Sequence[Any], Sequence[Any]]:
    """Moves the arguments of a program to their devices; values with an owner stay there.

    Returns the arguments, and the variables whose values they are.
    """
    placement = in_force.placement
    assert placement is not None
    taken = trace.arguments
    moved: dict[int, tuple[Any, Any]] = {}
    owners: list[Any] = [*trace.variables, *trace.entries]
    for owner in owners:
        value = owner._value
        put = placement.put(owner, value)
        if put is not value:
            if isinstance(owner, Cell) or not placement.together:
                owner._value = put
            # Keep the old value too: while it lives, no other value has its identity.
            moved.setdefault(id(value), (value, put))
    for position, argument in enumerate(taken):
        if id(argument) in moved:
            taken[position] = moved[id(argument)][1]
    arguments = [placement.put(None, one) for one in plan.arguments(trace)]
    by_value = {id(variable._value): variable for variable in trace.variables}
    return arguments, [by_value.get(id(one)) for one in arguments]
