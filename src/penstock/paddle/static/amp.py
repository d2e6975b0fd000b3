"""`paddle.static.amp` on a processor: static programs in two bytes are for GPUs, and are refused."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from penstock.paddle._errors import NotThereError
from penstock.paddle._names import absent
from penstock.trace.source_site import here


class AutoMixedPrecisionLists:
    """Which operations are to run in two bytes, and which are not."""

    def __init__(
        self, custom_white_list: Any = None, custom_black_list: Any = None, custom_black_varnames: Any = None,
        dtype: str = "float16",
    ) -> None:  # fmt: skip
        self.white_list, self.black_list = set(custom_white_list or ()), set(custom_black_list or ())
        self.black_varnames, self.amp_dtype = set(custom_black_varnames or ()), dtype


CustomOpLists = AutoMixedPrecisionLists


@contextlib.contextmanager
def fp16_guard() -> Iterator[None]:
    """Marks operations that may run in two bytes: without `decorate` none does."""
    yield


def _of_devices(name: str) -> Any:
    def refuse(*arguments: Any, **options: Any) -> Any:
        raise NotThereError(
            f"paddle.static.amp.{name} is not there: a static program runs in the dtypes it was written in.",
            why="In Paddle it puts operations of two bytes into the program, which GPUs have.",
            remedy="Leave it out; or train without paddle.enable_static(), with paddle.amp.auto_cast().",
            site=here(),
        )

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Raises NotImplementedError: in Paddle it puts operations of GPUs into a program."
    return refuse


decorate = _of_devices("decorate")
cast_model_to_fp16 = _of_devices("cast_model_to_fp16")
cast_parameters_to_fp16 = _of_devices("cast_parameters_to_fp16")
__all__ = [
    "AutoMixedPrecisionLists", "CustomOpLists", "cast_model_to_fp16", "cast_parameters_to_fp16", "decorate",
    "fp16_guard",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    raise absent("paddle.static.amp", name, __all__)
