"""Data sets made of lists, and written to files."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from penstock.tensorflow._dataset import Dataset, maker, method
from penstock.tensorflow._elements import as_part, element_of, flat, is_special, mapped, refilled
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.errors import NotFoundError
from penstock.trace.source_site import here

_FILE = "elements.npz"


def from_list(elements: list[Any], name: Any = None) -> Any:
    """Returns a data set of the elements of a list, which may have several lengths.

    >>> from penstock import tensorflow as tf
    >>> rows = tf.data.experimental.from_list([[1], [2, 3]])
    >>> [row.tolist() for row in rows.as_numpy_iterator()]
    [[1], [2, 3]]
    """
    if not isinstance(elements, list):
        raise ArgumentError("`elements` must be a list.", site=here())
    if not elements:
        raise ArgumentError("Empty list of elements", site=here())
    kept = [mapped(as_part, one) for one in elements]
    return Dataset(lambda: iter(kept), len(kept))


def _written(form: Any) -> Any:
    """Returns the structure of an element as what JSON can say."""
    if isinstance(form, dict):
        return {"dict": {key: _written(one) for key, one in form.items()}}
    return {"tuple": [_written(one) for one in form]} if isinstance(form, tuple) else 0


def _read(said: Any) -> Any:
    if said == 0:
        return 0
    if "dict" in said:
        return {key: _read(one) for key, one in said["dict"].items()}
    return tuple(_read(one) for one in said["tuple"])


def _stored(key: str, array: Any) -> dict[str, Any]:
    """Returns an array under its key; of words, their letters and their lengths."""
    if array.dtype.kind != "O":
        return {key: array}
    words = array.ravel().tolist()
    lengths = np.array([len(one) for one in words], np.int64).reshape(array.shape)
    return {f"{key}.letters": np.frombuffer(b"".join(words), np.uint8), f"{key}.lengths": lengths}


def _restored(found: Any, key: str) -> Any:
    if key in found:
        return found[key]
    lengths, letters = found[f"{key}.lengths"], found[f"{key}.letters"].tobytes()
    ends = np.cumsum(lengths.ravel())
    made = np.empty(lengths.size, object)
    made[:] = [letters[end - n : end] for end, n in zip(ends, lengths.ravel(), strict=True)]
    return made.reshape(lengths.shape)


@method
def save(
    self: Any, path: Any, compression: Any = None, shard_func: Any = None, checkpoint_args: Any = None
) -> None:
    """Writes the elements of a data set to a folder.

    `compression` and `shard_func` do nothing: there is one file, which only Penstock reads.
    """
    if checkpoint_args is not None:
        raise ArgumentError("checkpoint_args cannot be set in penstock.tensorflow.", site=here())
    rows = [element_of(one) for one in self._elements()]
    if not rows:
        raise ArgumentError("A data set without elements cannot be saved.", site=here())
    if any(is_special(leaf) for row in rows[:1] for leaf in flat(row)):
        raise ArgumentError("Ragged and sparse elements cannot be saved.", site=here())
    said = json.dumps(_written(mapped(lambda _: 0, rows[0]))).encode()
    held: dict[str, Any] = {"form": np.frombuffer(said, np.uint8), "count": np.array(len(rows))}
    for number, row in enumerate(rows):
        for place, leaf in enumerate(flat(row)):
            held |= _stored(f"{number}/{place}", np.asarray(leaf))
    os.makedirs(os.fspath(path), exist_ok=True)
    np.savez(os.path.join(os.fspath(path), _FILE), **held)


@maker
def load(path: Any, element_spec: Any = None, compression: Any = None, reader_func: Any = None) -> Any:
    """Returns the data set that `save` has written.

    `element_spec`, `compression` and `reader_func` do nothing: the file describes its elements.
    """
    file = os.path.join(os.fspath(path), _FILE)
    if not os.path.exists(file):
        raise NotFoundError(f"Could not find a data set in {os.fspath(path)!r}", site=here())
    with np.load(file) as found:
        form, count = _read(json.loads(found["form"].tobytes())), int(found["count"])
        places = len(flat(form))
        rows = [
            refilled(form, iter([_restored(found, f"{number}/{place}") for place in range(places)]))
            for number in range(count)
        ]
    return Dataset(lambda: iter(rows), count)


__all__ = ["from_list", "load", "save"]
