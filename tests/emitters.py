"""Files whose programs XLA compiles in a fraction of the time: docs/decisions/0040.

XLA has two ways to write the machine code of what it has fused; that of the user's programs takes three times
as long. Of the other, LLVM's optimising takes two thirds. The tables of primitives, functions and phases are
walked through the user's code. Files about training, about when programs run, and about derivatives of
programs ask whether Penstock hands XLA the right program, and when.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

OPTION = "xla_cpu_use_fusion_emitters"
PARTS = "xla_cpu_parallel_codegen_split_count"
"""The number of modules into which XLA splits a program to compile them in parallel; by default 32."""
LEVEL = "xla_backend_optimization_level"
"""How much LLVM optimises."""
FILES = frozenset({
    "on_devices", "test_array_api", "test_audit", "test_budget", "test_control", "test_convolution",
    "test_counts", "test_fit_programs", "test_grown_programs", "test_higher", "test_higher_oracle",
    "test_keras_programs", "test_layers", "test_ledger_split", "test_numpy_functions", "test_optimizers",
    "test_optimizers_options", "test_optimizers_oracles", "test_optimizers_parts",
    "test_optimizers_properties", "test_optimizers_schedules", "test_paddle", "test_paddle_amp",
    "test_paddle_counts", "test_paddle_layers", "test_plan", "test_policies", "test_recorder",
    "test_recurrent", "test_resume", "test_sequences", "test_shared_updates", "test_step", "test_tape",
    "test_threads", "test_vmap",
})  # fmt: skip
"""Files about training (optimizers, layers, and programs with branches, loops and interruptions), about when
programs run (plans, steps, tapes, threads) and on which devices, and about functions made of others:
derivatives of derivatives, batches, functions under NumPy's names."""


class Chosen:
    """Whether every program is compiled as users' are: `--code-of-users`."""

    code_of_users = False


@contextmanager
def compiled_quickly() -> Iterator[None]:
    """Has XLA compile with its former emitters and without optimizing, if it knows the options."""
    if Chosen.code_of_users:
        yield
        return
    from penstock.tiers import libraries

    own = libraries.options

    def options(*arguments: Any) -> dict[str, Any]:
        chosen = own(*arguments)
        # Not on accelerators, nor with an XLA that has refused them.
        quick = {OPTION: False, PARTS: 1, LEVEL: 0} if chosen else {}
        return {**chosen, **{name: value for name, value in quick.items() if name not in libraries._refused}}

    libraries.options = options
    try:
        yield
    finally:
        libraries.options = own
