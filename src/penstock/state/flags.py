"""The history of a variable's flags: each setting of `trainable` and `locked`, with its caller and line."""

from __future__ import annotations

from dataclasses import dataclass
from types import FrameType

from penstock.trace.source_site import PACKAGE, Site, in_folder, is_library


@dataclass(frozen=True, slots=True)
class Flag:
    """One setting of a flag.

    `name` is "trainable" or "locked". `by` says what set it: "Variable" or another constructor for the
    initial flag, "freeze", "unfreeze", or "assignment" for `variable.trainable = ...`.
    """

    name: str
    value: bool
    by: str
    site: Site

    def __str__(self) -> str:
        return f"{self.name}={self.value} by {self.by} at {self.site}"


def maker(frame: FrameType | None) -> tuple[str, bool]:
    """Returns the call on the user's line that led to this frame, and whether an optimizer is in between.

    The first is the class or function of the library that the user's line names: "Variable", "Dense"; or
    "assignment" where the line itself has set an attribute of a variable.
    """
    name, own = "assignment", False
    while frame is not None and is_library(frame.f_code):
        code = frame.f_code
        # A metaclass that makes an object is not what the line names.
        making = code.co_name == "__call__" and code.co_varnames[:1] == ("cls",)
        if code.co_filename.startswith(PACKAGE) and not making:
            name = code.co_qualname
            own = own or in_folder(code, "optimizers")
        frame = frame.f_back
    return name.removesuffix(".__init__").removesuffix(".__call__"), own
