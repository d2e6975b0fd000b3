"""`paddle.save` and `paddle.load`: state as arrays, in Python's own pickle format, as Paddle writes it."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np

from penstock.errors import CheckpointError, PenstockError
from penstock.paddle._convert import HANDLES
from penstock.paddle._declaring import in_paddle
from penstock.paddle._errors import InvalidTypeError
from penstock.paddle._tensor import Leaf
from penstock.state.flags import Flag
from penstock.trace.source_site import here
from penstock.trace.structure import mapped


class Arrays(pickle.Unpickler):
    """Reads numbers, lists and arrays, but no objects that could run code."""

    def find_class(self, module: str, name: str) -> Any:
        allowed = {
            ("collections", "OrderedDict"),
            # How Python 3 writes bytes in a form that Python 2 reads.
            ("_codecs", "encode"),
            ("numpy", "dtype"),
            ("numpy", "ndarray"),
        }
        root = module.partition(".")[0]
        if (module, name) in allowed or (
            root == "numpy" and name in ("_reconstruct", "scalar", "_frombuffer")
        ):
            return super().find_class(module, name)
        if module == "ml_dtypes":
            found = super().find_class(module, name)
            if isinstance(found, type) and issubclass(found, np.generic):
                return found
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


@in_paddle
def save(obj: Any, path: Any, protocol: int = 4, **configs: Any) -> None:
    """Writes tensors, state_dicts and lists of these to a file, and replaces an existing one.

    There is one format: `configs` do nothing.

    Raises CheckpointError where that cannot be done; the old file is then as it was.
    """
    content = pickle.dumps(_plain(obj), protocol)
    if isinstance(path, io.BytesIO):
        path.write(content)
        return
    from penstock.state import files

    files.replace(files.path_of(path, "save"), lambda partial: Path(partial).write_bytes(content), make=True)


@in_paddle
def load(path: Any, **configs: Any) -> Any:
    """Reads what `save` has written. Files are read as data only: they cannot run code.

    Raises CheckpointError for a file that is not there or not whole.
    """
    try:
        if isinstance(path, io.BytesIO):
            path.seek(0)
            content = path.read()
        else:
            content = Path(path).read_bytes()
        found = Arrays(io.BytesIO(content)).load()
    except PenstockError:
        raise
    except Exception as error:
        # Bytes other than a pickle make it raise any type of error.
        raise CheckpointError(
            f"paddle.load: {path!r} could not be read: {error}.",
            remedy="Check the path, or load another copy.",
            site=here(),
        ) from error
    return _tensors(found, bool(configs.get("return_numpy", False)))
