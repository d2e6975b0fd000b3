"""Compilation under Paddle's names: there is one mode, so a function is as fast without a decorator.

`save` writes the weights of a layer and how to make it again; `load` gives the layer back.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from penstock.paddle._errors import InvalidTypeError, NotThereError
from penstock.paddle._names import namespace as _namespace
from penstock.paddle._saving import load as _load
from penstock.paddle._saving import save as _save
from penstock.paddle.nn._layer import Layer
from penstock.trace.source_site import here


def to_static(
    function: Any = None, input_spec: Any = None, build_strategy: Any = None, backend: Any = None,
    **options: Any,
) -> Any:  # fmt: skip
    """Returns the function or layer as it is: a step that comes back is compiled anyway.

    Shapes may vary, so `input_spec` does nothing; nor do `build_strategy`, `backend` and `options`.
    """
    if function is None:
        return lambda one: one
    return function


def not_to_static(func: Any = None) -> Any:
    """Returns the function as it is."""
    return to_static(func)


def ignore_module(modules: Any) -> None:
    """Does nothing: no source is rewritten, that of `modules` neither."""


def enable_to_static(enable_to_static_bool: bool) -> None:
    """Does nothing, for any `enable_to_static_bool`: there is one mode."""


def set_code_level(level: int = 100, also_to_stdout: bool = False) -> None:
    """Does nothing at any `level`: no code is rewritten that could be shown, `also_to_stdout` or not."""


def set_verbosity(level: int = 0, also_to_stdout: bool = False) -> None:
    """Does nothing at any `level`: no code is rewritten that could be spoken of, `also_to_stdout` or not."""


_SUFFIX = ".pdparams"


def save(layer: Any, path: str, input_spec: Any = None, **configs: Any) -> None:
    """Writes the weights of a layer to `path.pdparams`.

    Paddle also writes the graph of the layer; here a layer is made again by its class, so that `input_spec`
    and `configs` do nothing. Raises TypeError for a function.
    """
    if not isinstance(layer, Layer):
        raise InvalidTypeError(
            f"paddle.jit.save writes layers; this is {type(layer).__name__}.",
            remedy="Put the function into the forward() of a layer.",
            site=here(),
        )
    _save(layer.state_dict(), f"{path}{_SUFFIX}")
    _saved[str(Path(path).absolute())] = layer


_saved: dict[str, Any] = {}
"""The layers that this process has saved, by path."""


class TranslatedLayer:
    """The class of the object that `load` returns in Paddle; here it is the layer itself."""


def load(path: str, **configs: Any) -> Any:
    """Returns the layer that this process has saved to a path, with the weights of the file.

    In another process there is no code of the layer to run: NotImplementedError says how to load the weights.
    `configs` do nothing.
    """
    layer = _saved.get(str(Path(path).absolute()))
    if layer is None:
        raise NotThereError(
            f"paddle.jit.load: {path}{_SUFFIX} holds weights; the layer's code is not in it.",
            remedy=f"Make the layer, then: layer.set_state_dict(paddle.load({path + _SUFFIX!r})).",
            site=here(),
        )
    import copy

    made = copy.deepcopy(layer)
    made.set_state_dict(_load(f"{path}{_SUFFIX}"))
    made.eval()
    return made


__getattr__, __dir__, __all__ = _namespace("paddle.jit", globals())
