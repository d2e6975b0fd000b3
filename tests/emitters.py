"""Which files compile as a user's program does, and how the others compile quickly: docs/decisions/0040.

XLA has two ways to write the machine code of what it has fused; that of the user's programs takes three times
as long. Of the other, LLVM's optimising takes two thirds. The tables of primitives, of the array API, of
special functions and of phases are walked through the user's code. The other files ask whether Penstock hands
XLA the right program, and when.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

OPTION = "xla_cpu_use_fusion_emitters"
PARTS = "xla_cpu_parallel_codegen_split_count"
"""The number of modules into which XLA splits a program to compile them in parallel; by default 32."""
LEVEL = "xla_backend_optimization_level"
"""How much LLVM optimises."""
AS_USERS = frozenset({
    "test_array_api_edges", "test_array_api_values", "test_derivatives_oracle", "test_disk", "test_einsum",
    "test_export", "test_half_precision", "test_heap", "test_libraries", "test_one_pass", "test_onednn",
    "test_options", "test_phases", "test_progress", "test_random", "test_room", "test_smoke", "test_storing",
    "test_vjp_table", "test_vocabulary_special",
})  # fmt: skip
"""Files about the values of primitives and functions, and about what XLA makes of a program: its passes,
libraries, memory, files and time."""


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
        if Chosen.code_of_users:
            return chosen
        # Not on accelerators, nor with an XLA that has refused them.
        quick = {OPTION: False, PARTS: 1, LEVEL: 0} if chosen else {}
        return {**chosen, **{name: value for name, value in quick.items() if name not in libraries._refused}}

    libraries.options = options
    try:
        yield
    finally:
        libraries.options = own


@contextmanager
def compiled_as_users() -> Iterator[None]:
    """Has XLA compile as it does for users, in a file whose other programs are compiled quickly."""
    before, Chosen.code_of_users = Chosen.code_of_users, True
    try:
        yield
    finally:
        Chosen.code_of_users = before
