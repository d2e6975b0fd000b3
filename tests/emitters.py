"""Files whose programs XLA compiles in half the time: docs/decisions/0040.

XLA has two ways to write the machine code of what it has fused; that of the user's programs takes about twice
as long. The tables of primitives, functions and phases are walked through it. Files about training ask
whether Penstock hands XLA the right program, and when.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

OPTION = "xla_cpu_use_fusion_emitters"
PARTS = "xla_cpu_parallel_codegen_split_count"
"""Into how many modules XLA takes a program apart, to compile them side by side; by default 32."""
FILES = frozenset({
    "test_control", "test_ledger_split", "test_optimizers", "test_optimizers_options",
    "test_optimizers_oracles", "test_optimizers_parts", "test_optimizers_properties",
    "test_optimizers_schedules", "test_recorder", "test_resume", "test_shared_updates",
})  # fmt: skip
"""Files about training: the optimizers, and programs with branches, loops and interruptions."""


@contextmanager
def compiled_quickly() -> Iterator[None]:
    """Has XLA compile with its former emitters, where it knows the option."""
    from penstock.tiers import libraries

    own = libraries.options

    def options(*arguments: Any) -> dict[str, Any]:
        chosen = own(*arguments)
        # Not on accelerators, nor with an XLA that has refused them.
        quick = {OPTION: False, PARTS: 1} if chosen else {}
        return {**chosen, **{name: value for name, value in quick.items() if name not in libraries._refused}}

    libraries.options = options
    try:
        yield
    finally:
        libraries.options = own
