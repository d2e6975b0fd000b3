"""The libraries and passes that XLA uses for products and sums on the processor: docs/decisions/0021."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from types import ModuleType
from typing import Any, NamedTuple

from penstock.tiers.program import Program
from penstock.tiers.storing import stored

OPTION = "xla_cpu_experimental_ynn_fusion_type"
PRODUCTS = "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT"
LARGE = 1 << 24
"""Matrix products of at least this many arithmetic operations use YNNPACK instead of Eigen."""
PASSES = "xla_disable_hlo_passes"
SUMS = "tree_reduction_rewriter"
"""XLA's pass that splits sums; ops/phases.py does so where it helps."""
BARRIERS = "cse_barrier_expander"
"""XLA's pass that drops barriers before it fuses. It is left out where values are stored at barriers
(tiers/storing.py), but never for a program with loops or calls: at a barrier around several values in one of
these, XLA crashes the process."""
REGIONS = "xla_cpu_copy_insertion_use_region_analysis"
"""Lets XLA see, from the last read of a value, that a variable may be overwritten without a copy. A program
with a loop does without it: XLA would overwrite a variable that the loop still reads."""
GENERATED = "xla_gpu_enable_triton_gemm"
"""Lets XLA write kernels for matrix products itself, by Triton: it compiles dozens of variants of each, and
times them beside those of NVIDIA's libraries."""
MANY = 1_000_000_000_000
"""A program of at least this many arithmetic operations takes so long on a GPU that such kernels pay."""
FULL = ("float32", "complex64")
"""The dtypes whose products Triton would put together from several of fewer digits."""
LOOP = "stablehlo.while"
"""The operation that is a loop in a lowered program."""

_refused: list[str] = []
"""The options that this XLA does not know: each is tried once."""


def options(module: ModuleType, program: Program, looped: bool = False) -> dict[str, str | bool]:
    """Returns the options with which XLA compiles a program, which may be `looped`: the body of a loop.

    XLA's own choice is kept for options in the user's XLA_FLAGS, and for options that XLA does not have.
    """
    wanted: dict[str, str | bool] = {}
    if module.default_backend() == "gpu":
        if program.cost < MANY or (_in_full(module) and _largest(program).dtype in FULL):
            wanted = {GENERATED: False}
    elif module.default_backend() == "cpu":
        products = PRODUCTS if _largest(program).operations >= LARGE else ""
        passes = f"{SUMS},{BARRIERS}" if barriers(program, looped) else SUMS
        wanted = {OPTION: products, PASSES: passes, REGIONS: True}
    flags = os.environ.get("XLA_FLAGS", "")
    return {name: value for name, value in wanted.items() if name not in _refused and name not in flags}


def full_products(module: ModuleType, exported: bool = False) -> AbstractContextManager[Any]:
    """Lets float32 products on accelerators keep all digits of float32, inside the context.

    XLA would round their operands to TensorFloat-32, which has ten bits. The user's own
    `jax_default_matmul_precision` is kept: docs/decisions/0054. `exported` says that the program is written
    to a file, and may run on another device than this process.
    """
    if not _in_full(module) or not (exported or module.default_backend() != "cpu"):
        return nullcontext()
    found: AbstractContextManager[Any] = module.default_matmul_precision("highest")
    return found


def _in_full(module: ModuleType) -> bool:
    """Returns whether the user has left the precision of products to Penstock."""
    return getattr(module.config, "jax_default_matmul_precision", None) is None


def barriers(program: Program, looped: bool = False) -> frozenset[int]:
    """Returns the steps whose values get barriers, which must remain until XLA has fused."""
    return frozenset() if any(step.primitive.many for step in program.steps) else stored(program, looped)


def compiled(module: ModuleType, lowered: Any, program: Program, looped: bool = False) -> Any:
    """Compiles a lowered program with the libraries that suit it."""
    # The loop around a program changes nothing for what is read in its body.
    allowed = 1 if looped else 0
    has_loops: bool | None = None
    while chosen := options(module, program, looped):
        if REGIONS in chosen:
            has_loops = more_loops(lowered, allowed) if has_loops is None else has_loops
            if has_loops:
                del chosen[REGIONS]
        try:
            return lowered.compile(compiler_options=chosen)
        except module.errors.JaxRuntimeError as error:
            unknown = [name for name in chosen if name in str(error)]
            if not unknown:
                raise
            _refused.extend(unknown)
    return lowered.compile()


def more_loops(lowered: Any, allowed: int) -> bool:
    """Returns whether a lowered program has more loops than `allowed`, in its functions and branches too.

    Its operations are walked: printing them takes five times as long. A program that is lowered in an unknown
    way may have any number, and one that has is compiled right without the analysis of regions.
    """
    try:
        from jax.extend.mlir import ir

        goes_on, ends = ir.WalkResult.ADVANCE, ir.WalkResult.INTERRUPT
        found = 0

        def count(operation: Any) -> Any:
            nonlocal found
            found += operation.name == LOOP
            return ends if found > allowed else goes_on

        lowered.compiler_ir().operation.walk(count)
    except (AttributeError, ImportError, TypeError):
        return True
    return found > allowed


class Product(NamedTuple):
    """The arithmetic operations of a matrix product, and the dtype of its result."""

    operations: int
    dtype: Any = None


def _largest(program: Program) -> Product:
    """Returns the largest matrix product, in loops and branches too."""
    specs = program.every_spec
    found = Product(0)
    for step in program.steps:
        if step.primitive.many:
            found = max([found, *(_largest(body.program) for body in step.bodies)], key=_operations)
        elif step.primitive.name == "matmul":
            a, b = (specs[number] for number in step.inputs)
            # A stack of matrices times one matrix is a single tall product.
            rows = a.size // max(1, a.shape[-1]) if b.ndim == 2 else a.shape[-2]
            one = Product(2 * rows * a.shape[-1] * b.shape[-1], step.spec.dtype)
            found = max(found, one, key=_operations)
    return found


def _operations(product: Product) -> int:
    return product.operations
