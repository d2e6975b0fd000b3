"""tf.keras.applications.inception_v3: blocks of branches side by side (Szegedy et al., 2015)."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras.applications import _parts

_Row = tuple[tuple[int, int, int], ...]
"""The convolutions of a branch, one after another: filters, height and width."""


def _convolved(
    x: Any, filters: int, height: int, width: int, halved: bool = False, valid: bool = False
) -> Any:
    padding = "valid" if halved or valid else "same"
    x = _parts.after(
        x, "Conv2D", filters, (height, width), strides=2 if halved else 1, padding=padding, use_bias=False
    )
    x = _parts.after(x, "BatchNormalization", scale=False)
    return _parts.after(x, "Activation", "relu")


def _branch(x: Any, row: _Row, halved: bool = False) -> Any:
    """Convolutions one after another, the last of which may halve the picture."""
    for number, one in enumerate(row, 1):
        x = _convolved(x, *one, halved=halved and number == len(row))
    return x


def _mixed(x: Any, rows: tuple[_Row, ...], pooled: int, name: str) -> Any:
    """Branches, the last of which averages neighbours, side by side."""
    branches = [_branch(x, row) for row in rows]
    mean = _parts.after(x, "AveragePooling2D", 3, strides=1, padding="same")
    return _joined([*branches, _convolved(mean, pooled, 1, 1)], name)


def _halving(x: Any, rows: tuple[_Row, ...], name: str) -> Any:
    """Branches that halve the picture, the last of which takes the maximum of neighbours."""
    branches = [_branch(x, row, halved=True) for row in rows]
    return _joined([*branches, _parts.after(x, "MaxPooling2D", 3, strides=2)], name)


def _joined(branches: list[Any], name: str | None = None) -> Any:
    return _parts.after(branches, "Concatenate", axis=3, **({"name": name} if name else {}))


def _body(x: Any) -> Any:
    x = _convolved(x, 32, 3, 3, halved=True)
    x = _convolved(x, 32, 3, 3, valid=True)
    x = _convolved(x, 64, 3, 3)
    x = _parts.after(x, "MaxPooling2D", 3, strides=2)
    x = _convolved(x, 80, 1, 1, valid=True)
    x = _convolved(x, 192, 3, 3, valid=True)
    x = _parts.after(x, "MaxPooling2D", 3, strides=2)
    for number, pooled in enumerate((32, 64, 64)):
        rows: tuple[_Row, ...] = (
            ((64, 1, 1),), ((48, 1, 1), (64, 5, 5)), ((64, 1, 1), (96, 3, 3), (96, 3, 3)),
        )  # fmt: skip
        x = _mixed(x, rows, pooled, f"mixed{number}")
    x = _halving(x, (((384, 3, 3),), ((64, 1, 1), (96, 3, 3), (96, 3, 3))), "mixed3")
    for number, n in enumerate((128, 160, 160, 192), 4):
        rows = (
            ((192, 1, 1),), ((n, 1, 1), (n, 1, 7), (192, 7, 1)),
            ((n, 1, 1), (n, 7, 1), (n, 1, 7), (n, 7, 1), (192, 1, 7)),
        )  # fmt: skip
        x = _mixed(x, rows, 192, f"mixed{number}")
    rows = ((192, 1, 1), (320, 3, 3)), ((192, 1, 1), (192, 1, 7), (192, 7, 1), (192, 3, 3))
    x = _halving(x, rows, "mixed8")
    for number in (0, 1):
        x = _widest(x, number)
    return x


def _widest(x: Any, number: int) -> Any:
    """A block in which two branches part once more, into a row and a column."""
    branches = [_convolved(x, 320, 1, 1)]
    apart: tuple[tuple[_Row, str | None], ...] = (
        (((384, 1, 1),), f"mixed9_{number}"), (((448, 1, 1), (384, 3, 3)), None),
    )  # fmt: skip
    for row, name in apart:
        y = _branch(x, row)
        branches.append(_joined([_convolved(y, 384, 1, 3), _convolved(y, 384, 3, 1)], name))
    mean = _parts.after(x, "AveragePooling2D", 3, strides=1, padding="same")
    return _joined([*branches, _convolved(mean, 192, 1, 1)], f"mixed{9 + number}")


def _make(asked: _parts.Asked) -> Any:
    files = _parts.Files.usual("inception_v3", "inception_v3")
    return _parts.made(asked, _body, files, size=299, smallest=75)


InceptionV3 = _parts.application(
    "tf.keras.applications.InceptionV3 tf.keras.applications.inception_v3.InceptionV3", "inception_v3", _make,
    "the third version of Inception",
)  # fmt: skip
preprocess_input = _parts.preprocessing("inception_v3", "tf")

__getattr__, __dir__, __all__ = _namespace(
    "tf.keras.applications.inception_v3", globals(), "keras.applications._parts"
)
