"""Lines of source text that tests expect messages to name."""

import sys


def line() -> int:
    """The line of the caller."""
    return sys._getframe(1).f_lineno
