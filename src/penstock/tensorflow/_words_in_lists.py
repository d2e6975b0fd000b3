"""Words in Python's lists, given to functions that take tensors of strings."""

from __future__ import annotations

import functools
from typing import Any

from penstock.tensorflow._dispatch import current
from penstock.tensorflow._strings import is_text, strings


def takes_words(function: Any) -> Any:
    """Lets a function take words in a list, which become a tensor of strings; others pay one call more.

    It is for functions that few steps call often.
    """

    @functools.wraps(function)
    def taking(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except TypeError:
            first = arguments[0] if arguments else None
            if not isinstance(first, str | bytes | list | tuple) or not is_text(first):
                raise
            words = strings(first)
            return current(taking)(words, *arguments[1:], **options)

    return taking


__all__ = ["takes_words"]
