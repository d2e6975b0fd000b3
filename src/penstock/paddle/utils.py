"""Paddle's helpers for programs: whether a module is there, and whether the framework works."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from penstock.paddle import _compatible, _downloads
from penstock.paddle._names import namespace as _namespace
from penstock.paddle._paths import path_to


def try_import(module_name: str, err_msg: str | None = None) -> Any:
    """Returns a module; raises ImportError, with the message given, where it is not installed."""
    try:
        return importlib.import_module(module_name)
    except ImportError:
        raise ImportError(err_msg or f"Failed importing {module_name}. Install it to use it.") from None


def run_check() -> None:
    """Computes a gradient, and prints what Paddle prints where it works."""
    from penstock import paddle

    print("Running verify PaddlePaddle program ... ")
    x = paddle.to_tensor([1.0], stop_gradient=False)
    (x * x).sum().backward()
    assert x.grad.item() == 2.0
    print("PaddlePaddle works well on 1 CPU.")
    print("PaddlePaddle is installed successfully! Let's start deep learning with PaddlePaddle now.")


def deprecated(
    update_to: str = "", since: str = "", reason: str = "", level: int = 0
) -> Callable[[Any], Any]:
    """Returns a decorator that does nothing, nor do `update_to`, `since`, `reason` and `level`."""
    return lambda function: function


class unique_name:
    """Unique names."""

    @staticmethod
    def generate(key: str) -> str:
        """Returns a key with the next number."""
        from penstock.paddle._numbering import Names

        return Names.next(key)

    @staticmethod
    @contextlib.contextmanager
    def guard(new_generator: Any = None) -> Iterator[None]:
        """Counts from 0 inside, each name beginning with `new_generator` if that is given."""
        from penstock.paddle._numbering import Names

        with Names.anew(new_generator or ""):
            yield


__getattr__, __dir__, __all__ = _namespace("paddle.utils", globals())
path_to(sys.modules[__name__], "dlpack", _compatible)
path_to(sys.modules[__name__], "download", _downloads)
path_to(sys.modules[__name__], "install_check")
