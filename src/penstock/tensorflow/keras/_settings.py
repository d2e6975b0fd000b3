"""Settings of tf.keras.config: limits of training, where progress is printed, and what has no effect here."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator
from typing import Any

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras._defaults import interactive
from penstock.trace.source_site import here


def _limit(word: str) -> int | None:
    given = os.environ.get(word)
    return int(given) if given else None


_limits = {"epochs": _limit("KERAS_MAX_EPOCHS"), "steps_per_epoch": _limit("KERAS_MAX_STEPS_PER_EPOCH")}
_flags: dict[str, Any] = {"flash_attention": None, "traceback_filtering": True}


def limited(word: str, given: Any) -> Any:
    """Returns a number of epochs or steps, or the limit where it is lower, of which a warning tells."""
    limit = _limits[word]
    if not limit or (given and given <= limit):
        return given
    warnings.warn(f"Limiting {word} to {limit}", stacklevel=3)
    return limit


@named("tf.keras.config.set_max_epochs")
def set_max_epochs(max_epochs: int | None) -> None:
    """Sets the most epochs for which `fit` trains, whatever it is asked for; None for no limit."""
    _limits["epochs"] = max_epochs


@named("tf.keras.config.max_epochs")
def max_epochs() -> int | None:
    """Returns the most epochs for which `fit` trains."""
    return _limits["epochs"]


@named("tf.keras.config.set_max_steps_per_epoch")
def set_max_steps_per_epoch(max_steps_per_epoch: int | None) -> None:
    """Sets the most steps of an epoch; None for no limit."""
    _limits["steps_per_epoch"] = max_steps_per_epoch


@named("tf.keras.config.max_steps_per_epoch")
def max_steps_per_epoch() -> int | None:
    """Returns the most steps of an epoch."""
    return _limits["steps_per_epoch"]


@named("tf.keras.config.enable_interactive_logging", "tf.keras.utils.enable_interactive_logging")
def enable_interactive_logging() -> None:
    """Prints the progress of `fit` and messages of callbacks."""
    interactive["logging"] = True


@named("tf.keras.config.disable_interactive_logging", "tf.keras.utils.disable_interactive_logging")
def disable_interactive_logging() -> None:
    """Hands the progress of `fit` and messages of callbacks to the logger "absl", and prints nothing."""
    interactive["logging"] = False


@named("tf.keras.config.is_interactive_logging_enabled", "tf.keras.utils.is_interactive_logging_enabled")
def is_interactive_logging_enabled() -> bool:
    """Returns whether progress is printed."""
    return interactive["logging"]


@named("tf.keras.config.enable_traceback_filtering")
def enable_traceback_filtering() -> None:
    """Is noted, and does nothing: tracebacks are complete, and errors name the line of the program."""
    _flags["traceback_filtering"] = True


@named("tf.keras.config.disable_traceback_filtering")
def disable_traceback_filtering() -> None:
    """Is noted, and does nothing: tracebacks are complete, and errors name the line of the program."""
    _flags["traceback_filtering"] = False


@named("tf.keras.config.is_traceback_filtering_enabled")
def is_traceback_filtering_enabled() -> bool:
    """Returns what was set last."""
    return bool(_flags["traceback_filtering"])


@named("tf.keras.config.enable_flash_attention")
def enable_flash_attention() -> None:
    """Is noted, and does nothing: how attention is computed changes no result."""
    _flags["flash_attention"] = None


@named("tf.keras.config.disable_flash_attention")
def disable_flash_attention() -> None:
    """Is noted, and does nothing: how attention is computed changes no result."""
    _flags["flash_attention"] = False


@named("tf.keras.config.is_flash_attention_enabled")
def is_flash_attention_enabled() -> bool | None:
    """Returns False where it was disabled, and None elsewhere, as Keras does."""
    return _flags["flash_attention"]  # type: ignore[no-any-return]


@named("tf.keras.config.enable_unsafe_deserialization")
def enable_unsafe_deserialization() -> None:
    """Lets all files bring code of lambdas with them, as `safe_mode=False` lets one: it can do anything."""
    _flags["unsafe"] = True


@contextlib.contextmanager
def safely(safe_mode: bool) -> Iterator[None]:
    """Refuses code inside, or allows it, whatever was set for all files: so Keras reads older files."""
    before = _flags.get("unsafe")
    _flags["unsafe"] = not safe_mode
    try:
        yield
    finally:
        _flags["unsafe"] = before


def is_safe(safe_mode: bool) -> bool:
    """Returns whether code in a file is refused that is read with this `safe_mode`."""
    return bool(safe_mode) and not _flags.get("unsafe")


@named("tf.keras.config.is_nnx_enabled")
def is_nnx_enabled() -> bool:
    """Returns False: there is no Flax here."""
    return False


@named("tf.keras.config.backend", "tf.keras.backend.backend")
def backend() -> str:
    """Returns Keras' name of the backend."""
    return "tensorflow"


@named("tf.keras.config.set_backend")
def set_backend(backend: str) -> None:
    """Takes "tensorflow", which it is; raises ArgumentError, a ValueError, for another word."""
    if backend != "tensorflow":
        raise ArgumentError(
            f"set_backend({backend!r}): the backend of penstock.tensorflow is 'tensorflow'.",
            remedy="Remove the call: results do not depend on it.",
            site=here(),
        )
