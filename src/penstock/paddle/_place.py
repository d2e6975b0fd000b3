"""Whether mixed precision takes effect: in Paddle it does on an accelerator, and not on a processor."""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import find_spec

from penstock.trace.source_site import warn_once


class _Chosen:
    """What the program has given to `paddle.set_device`."""

    device = ""


def choose(device: object) -> None:
    """Notes the device that the program asks for."""
    _Chosen.device = str(device).lower()


def accelerated() -> bool:
    """Returns whether the program runs as on an accelerator: it asked for one, or XLA computes on one."""
    kind = _Chosen.device.partition(":")[0]
    return kind != "cpu" if kind else _found()


@cache
def _found() -> bool:
    # JAX knows of accelerators by what is installed beside it; without that, it need not be imported.
    if "jax" not in sys.modules and find_spec("jax_plugins") is None:
        return False
    from penstock.tiers import compiler

    return compiler.lack() is None and compiler.jax().default_backend() != "cpu"


def without_effect(what: str, kinds: str) -> None:
    """Warns, once and in Paddle's words, about what is off on a processor."""
    text = f"{what} can only be enabled on {kinds}, current place is Place(cpu), so it makes no effect."
    warn_once(text)
