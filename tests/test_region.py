"""Regions of tapes: which values lie in their intervals."""

from hypothesis import given
from hypothesis import strategies as st

from penstock.flow.graph import Region


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8))
def test_a_region_covers_what_lies_in_one_of_its_intervals(steps):
    intervals, at = [], 0
    for gap, length in steps:
        intervals.append((at + gap, at + gap + length))
        at += gap + length
    region = Region(tuple(intervals))
    for number in range(at + 2):
        inside = any(start <= number < stop for start, stop in intervals)
        assert region.covers(number) == inside


def test_intervals_are_searched_by_halves():
    class Counted(int):
        compared = 0

        def __lt__(self, other):
            Counted.compared += 1
            return int(self) < other

        __hash__ = int.__hash__

    region = Region(tuple((Counted(2 * at), 2 * at + 1) for at in range(4096)))
    assert region.covers(6000) and not region.covers(6001)
    assert Counted.compared <= 40
