"""Where XLA computes on a GPU or TPU, some tests ask for less, or not at all."""

import numpy as np

REPEATED = {"XLA_FLAGS": "--xla_gpu_deterministic_ops=true"}
"""The setting with which a GPU computes the same bits in each process: docs/guides/gpus.md."""


def on_accelerator() -> bool:
    """Whether XLA computes elsewhere than on the processor."""
    from penstock.tiers import compiler

    return compiler.lack() is None and compiler.jax().default_backend() != "cpu"


def same_numbers(got: np.ndarray, want: np.ndarray) -> bool:
    """Whether XLA has computed NumPy's numbers: to the bit, or to a few last places on an accelerator."""
    if not on_accelerator():
        return np.array_equal(got, want)
    last_place = float(np.finfo(want.dtype).eps)
    return np.allclose(got, want, rtol=4 * last_place, atol=4 * last_place)
