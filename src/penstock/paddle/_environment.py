"""The program as a whole: static or dynamic mode, flags, and readers of batches."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from penstock.paddle._declaring import in_paddle
from penstock.paddle._mode import mode

_WITH_FUNCTIONS = (
    ".nn.functional", ".linalg", ".metric", ".fft", ".signal", ".vision.ops", ".geometric", ".incubate",
    ".incubate.nn.functional", ".incubate.autograd", ".distribution",
)  # fmt: skip
"""The modules besides `paddle` itself in which users find functions of tensors."""


@in_paddle
def in_dynamic_mode() -> Any:
    """Returns whether calls are made at once, as they are unless `enable_static` was called."""
    return not mode.builds()


@in_paddle
def enable_static() -> None:
    """Writes calls down in static programs from here on, which a `paddle.static.Executor` runs."""
    from penstock.paddle.static._building import enable

    enable([import_module(f"penstock.paddle{one}") for one in ("", *_WITH_FUNCTIONS)])


@in_paddle
def disable_static(place: Any = None) -> None:
    """Makes calls at once again, at whichever `place`: that is the mode unless `enable_static` was called."""
    if mode.static:
        from penstock.paddle.static._building import disable

        disable()


@in_paddle
def disable_signal_handler() -> None:
    """Does nothing: there are none."""


@in_paddle
def batch(reader: Any, batch_size: int, drop_last: bool = False) -> Any:
    """Returns a reader, a function without arguments that gives items, of lists of items."""

    def batches() -> Any:
        held = []
        for one in reader():
            held.append(one)
            if len(held) == batch_size:
                yield held
                held = []
        if held and not drop_last:
            yield held

    return batches


@in_paddle
def get_flags(flags: Any) -> dict[str, Any]:
    """Returns no flags, whichever `flags` are asked for: there are none."""
    return {}


@in_paddle
def set_flags(flags: Any) -> None:
    """Does nothing: there are no `flags`."""
