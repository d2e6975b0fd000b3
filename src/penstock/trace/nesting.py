"""Programs inside another recording: where they are, and what they may not do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.errors import CaptureError
from penstock.trace.builder import Builder
from penstock.trace.engine import engine
from penstock.trace.local import here_if_known
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.trace.recorder import Trace


class Nesting:
    """The place of a program that is recorded inside another: `what` it is, and the user's line."""

    __slots__ = ("outer", "site", "what")

    def __init__(self, outer: Trace | Builder, what: str, site: Site) -> None:
        self.outer, self.what, self.site = outer, what, site

    def end_step(self) -> None:
        """Ends the surrounding step, if it wrote something: a tape opened inside is an outermost one."""
        around: Any = self
        while around is not None:
            outer = around.outer
            if isinstance(outer, Builder) or outer.taping:
                return
            around = outer.nested
        if outer.pending and not outer.capturing:
            engine.run(outer, True)

    def refuse_look(self, how: str, site: Site) -> None:
        """Raises CaptureError: no value is there yet."""
        raise CaptureError(
            f"{how} needs a value inside {self.what}.",
            origin=f"it is recorded for the call at {self.site}",
            site=site,
            why="It is recorded once, before any values exist, and run later, perhaps many times.",
            remedy="Use tensor operations: `where` to choose between values, `cond` to choose between "
            "programs.",
        )

    def refuse_write(self, variable: Any) -> None:
        """Raises CaptureError: such a program computes values, and changes nothing."""
        raise CaptureError(
            f"Variable {variable.path!r} was written inside {self.what}.",
            origin=f"Variable created at {variable.site}",
            site=here_if_known(),
            why="It is recorded once and run later, perhaps many times or not at all.",
            remedy="Return the new value, and assign it outside.",
        )


__all__ = ["Nesting"]
