"""`paddle.save` and `paddle.load`: state as arrays, in Python's own pickle format, as Paddle writes it."""

from __future__ import annotations

import io
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np

from penstock.paddle._convert import HANDLES
from penstock.paddle._errors import InvalidTypeError
from penstock.paddle._tensor import Leaf
from penstock.state.flags import Flag
from penstock.trace.site import here
from penstock.trace.structure import mapped


class _Arrays(pickle.Unpickler):
    """Reads numbers, lists and arrays, and nothing that could run code."""

    def find_class(self, module: str, name: str) -> Any:
        allowed = {
            ("collections", "OrderedDict"),
            ("numpy", "dtype"),
            ("numpy", "ndarray"),
        }
        root = module.partition(".")[0]
        if (module, name) in allowed or (
            root == "numpy" and name in ("_reconstruct", "scalar", "_frombuffer")
        ):
            return super().find_class(module, name)
        raise InvalidTypeError(
            f"The file holds a {module}.{name}, which is neither a number nor an array.",
            remedy="Save state_dict(), not the layer itself.",
            site=here(),
        )


def _plain(thing: Any) -> Any:
    return mapped(thing, lambda one: np.asarray(one).copy() if isinstance(one, HANDLES) else one)


def _tensors(thing: Any, as_arrays: bool) -> Any:
    def loaded(one: Any) -> Any:
        if not isinstance(one, np.ndarray) or as_arrays:
            return one
        array = one.copy()
        array.flags.writeable = False
        made = Leaf(array)
        made._flags = [Flag("trainable", False, "load", made.site)]
        return made

    # A tuple comes back with arrays, as it is.
    return mapped(thing, loaded, lambda one: isinstance(one, tuple))


def save(obj: Any, path: Any, protocol: int = 4, **configs: Any) -> None:
    """Writes tensors, state_dicts and lists of such to a file."""
    content = pickle.dumps(_plain(obj), protocol)
    if isinstance(path, io.BytesIO):
        path.write(content)
        return
    folder = os.path.dirname(str(path))
    if folder:
        os.makedirs(folder, exist_ok=True)
    Path(path).write_bytes(content)


def load(path: Any, **configs: Any) -> Any:
    """Reads what `save` has written. Files are read as data only: they cannot run code."""
    if isinstance(path, io.BytesIO):
        path.seek(0)
        content = path.read()
    else:
        content = Path(path).read_bytes()
    return _tensors(_Arrays(io.BytesIO(content)).load(), bool(configs.get("return_numpy", False)))
