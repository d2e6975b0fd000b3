"""How tests compare results: values of tensors, variables and arrays, and texts with numbers."""

import re
from typing import Any

import numpy as np
import pytest

NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]?\d+)?")


def close(found: Any, want: Any, rtol: float = 1e-6, atol: float = 0.0) -> None:
    """Compares tensors, variables and arrays, and their shapes."""
    found, want = (np.asarray(one.numpy() if hasattr(one, "numpy") else one) for one in (found, want))
    assert found.shape == want.shape, (found.shape, want.shape)
    np.testing.assert_allclose(found, want, rtol=rtol, atol=atol)


def same_texts(printed: list[str], wanted: list[str], rel: float, abs: float) -> bool:
    """Whether lines are equal except for the rounding of the numbers in them."""
    if printed == wanted:
        return True
    texts = "\n".join(printed), "\n".join(wanted)
    if NUMBER.sub("#", texts[0]) != NUMBER.sub("#", texts[1]):
        return False
    numbers = [[float(n) for n in NUMBER.findall(text)] for text in texts]
    return numbers[0] == pytest.approx(numbers[1], rel=rel, abs=abs)
