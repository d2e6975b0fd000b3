"""The active distribution, set for the program or for a block, and installed where programs are run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.distribution import peers
from penstock.distribution.placing import Gathered, Placing
from penstock.errors import CaptureError, PenstockError
from penstock.tiers import compiler
from penstock.tiers.choice import settings
from penstock.tiers.completion import wait
from penstock.tiers.placement import in_force
from penstock.tiers.program import programs
from penstock.trace.engine import engine
from penstock.trace.local import local
from penstock.trace.source_site import here

if TYPE_CHECKING:
    from penstock.distribution.strategies import Distribution

_placings: dict[int, Placing] = {}
"""The placement of each distribution that was set, by its identity; it keeps the distribution alive."""


def placings() -> list[Placing]:
    """Returns the placement of each distribution that was set, the active one last."""
    found = sorted(_placings.copy().values(), key=lambda one: one is in_force.placement)
    return list(found)


def present() -> Distribution | None:
    """Returns the distribution in force, or None."""
    placement = in_force.placement
    return placement.distribution if isinstance(placement, Placing) else None


def put_in_force(value: Distribution | None) -> None:
    """Activates a distribution, or none for None: see `set_distribution`."""
    trace = local.trace
    if trace.capturing:
        raise CaptureError(
            f"The step {trace.capturing!r} sets a distribution.",
            why="A step is recorded once, and the places of its values must be known before.",
            remedy="Set the distribution before the step is called for the first time.",
            site=here(),
        )
    if value is not None and settings.engine == "numpy":
        lacking = compiler.lack()
        raise PenstockError(
            f"{value!r} is to be set, and {'the engine is NumPy' if lacking is None else lacking.clause}.",
            why="Only XLA has several devices: NumPy computes in one memory.",
            remedy="Unset PENSTOCK_ENGINE, or set it to xla." if lacking is None else lacking.remedy,
            site=here(),
        )
    if value is None and in_force.placement is None:
        return
    wait()
    with engine.lock:
        if value is None:
            gathered = in_force.placement = Gathered()
            engine.put_together_by(gathered.whole if peers.present_service else None)
        else:
            placing = _placings.get(id(value))
            if placing is None:
                placing = _placings[id(value)] = Placing(value)
            in_force.placement = placing
            engine.put_together_by(placing.whole if placing.together else None)
            peers.install(placing.together)
        for program in list(programs.values()):
            # Executables that are launched without a check of placement were compiled for another one.
            for holder in program.held:
                holder.forget()


__all__ = ["placings", "present", "put_in_force"]
