"""The samples for which primitives of the table are tried."""

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np


def generator(p: Any) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(p.name.encode()))


def drawn(p: Any) -> Iterator[tuple[list[np.ndarray], dict[str, Any]]]:
    """The samples of an entry, as pairs of operands and parameters."""
    for sample in p.samples(generator(p)):
        params = sample[-1] if sample and isinstance(sample[-1], dict) else {}
        yield [np.asarray(one) for one in (sample[:-1] if params else sample)], params
