"""The order of equal elements: the part in C is the Python definition, and both put elements in order."""

import numpy as np
import pytest

from penstock.paddle import _introsort


def _killer(length: int) -> np.ndarray:
    """Returns numbers whose median of three is always among the least, so that a heap takes over."""
    half = length // 2
    found = np.empty(length, np.int64)
    found[:half:2], found[1:half:2] = np.arange(0, half, 2), half + np.arange(1, half, 2)
    found[half:] = 2 * np.arange(length - half)
    return found


def _rows() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    found = [
        rng.integers(0, most, (3, length))
        for length in (1, 2, 4, 16, 17, 65, 300, 1000)
        for most in (1, 2, 7)
    ]
    return [*found, np.sort(found[-1], -1), _killer(600)[None] // 3]


@pytest.mark.parametrize("what", [_introsort.SORT, _introsort.TOP, _introsort.LOOSE])
def test_c_is_the_definition(what):
    for rows in _rows():
        for k in {1, min(3, rows.shape[1]), rows.shape[1]}:
            here, there = np.empty(rows.shape, np.int64), np.empty(rows.shape, np.int64)
            _introsort.arrange(rows, here, what, k)
            _introsort.arrange_by_python(rows, there, what, k)
            assert (here == there).all()
            assert (np.sort(here, -1) == np.arange(rows.shape[1])).all()
            laid, right = np.take_along_axis(rows, here, -1), np.sort(rows, -1)
            if what == _introsort.SORT:
                assert (laid == right).all()
            elif what == _introsort.TOP:
                assert (laid[:, :k] == right[:, :k]).all()
            else:
                assert (laid[:, k - 1] == right[:, k - 1]).all()
                assert (np.sort(laid[:, :k], -1) == right[:, :k]).all()


def test_any_axis_and_nan():
    values = np.asarray([[1.0, np.nan, 1.0], [0.0, 2.0, np.nan]])
    assert _introsort.ordered(values, -1).tolist() == [[0, 2, 1], [0, 1, 2]]
    assert _introsort.ordered(values, 1, True).tolist() == [[1, 0, 2], [2, 1, 0]]
    assert _introsort.ordered(values, 0).tolist() == [[1, 1, 0], [0, 0, 1]]
    assert _introsort.ordered(np.asarray(3.0), 0).tolist() == 0


def test_lengths_are_checked():
    if _introsort.arrange is _introsort.arrange_by_python:
        pytest.skip("the part in C is not built")
    with pytest.raises(ValueError, match="int64"):
        _introsort.arrange(np.zeros((1, 3), np.int32), np.zeros((1, 3), np.int64), 0, 1)
    with pytest.raises(ValueError, match="at most m"):
        _introsort.arrange(np.zeros((1, 3), np.int64), np.zeros((1, 3), np.int64), 0, 4)
