"""The metadata of a checkpoint: how it is written as text, and checked before it is used."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from penstock.errors import CheckpointError
from penstock.state.form import Each, count, misfit, number, seed, word
from penstock.state.records import records
from penstock.trace.source_site import here

FORMAT = "penstock 1"
"""The value of "format" in the metadata of a file."""
_OPTIMIZER = {
    "class": str,
    "numbers": Each(number),
    "?options": Each(str | None),
    "?tensors": Each((number, str)),
    "?functions": [str],
    "?groups": Each(Each(number)),
    "?counting": bool,
    "applied": count,
    "members": Each(Each(str)),
    "?shared": Each(str),
}
_NOTES = {
    "?variables": Each({"shape": [count], "dtype": str, "?trainable": bool}),
    "?ties": Each(str),
    "?optimizers": Each(_OPTIMIZER),
    "?values": Each(int | float | str | None),
    "?streams": Each((seed, word)),
    "?records": Each(object),
    "?checksums": {"arrays": Each(count), "notes": count},
}


def written(notes: Mapping[str, Any], sums: Mapping[str, int]) -> dict[str, str]:
    """Returns the metadata of a file: notes as readable JSON, with checksums of everything in it.

    `sums` are the checksums of the arrays.
    """
    text = {name: json.dumps(value, indent=1) for name, value in notes.items()}
    text["checksums"] = json.dumps({"arrays": dict(sums), "notes": _checksum_of(text)}, indent=1)
    return {"format": FORMAT, **text}


def checksum(array: np.ndarray) -> int:
    """Returns the CRC-32 of an array's bytes in the order of C, little-endian as in the file."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return zlib.crc32(flat.view(np.uint8).data) if flat.size else 0


def _checksum_of(text: Mapping[str, str]) -> int:
    return zlib.crc32("\0".join(part for name in sorted(text) for part in (name, text[name])).encode())


def is_own(text: Mapping[str, str]) -> bool:
    """Returns whether Penstock wrote this metadata, even if its first line is damaged."""
    return text.get("format", "").startswith("penstock") or {"variables", "checksums"} <= text.keys()


def read(path: str, text: Mapping[str, str], arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Returns the notes of a file; raises CheckpointError if `written` did not produce them."""
    if text.get("format") != FORMAT:
        raise CheckpointError(
            f"load: {path!r} is a checkpoint of the format {text.get('format')!r}.",
            why=f"This version of Penstock reads {FORMAT!r}. Nothing was changed.",
            remedy="Load it with the version that wrote it, or load another copy.",
            site=here(),
        )
    plain = {name: value for name, value in text.items() if name != "format"}
    notes = {}
    for name, value in plain.items():
        try:
            notes[name] = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise damaged(path, f"{name!r} in its metadata is not JSON: {error}") from None
    found = misfit(notes, _NOTES)
    if not found:
        forms = {f"?{name}": record.form() for name, record in records.items()}
        found = misfit(notes.get("records", {}), forms, "records")
    if found:
        raise damaged(path, f"in its metadata {found}")
    _check_sums(path, plain, notes.get("checksums"), arrays)
    _check_names(path, notes, arrays)
    return notes


def _check_sums(path: str, text: dict[str, str], sums: Any, arrays: Mapping[str, np.ndarray]) -> None:
    if sums is None:
        # Written before checksums existed.
        return
    del text["checksums"]
    if _checksum_of(text) != sums["notes"]:
        raise damaged(path, "its metadata does not have the checksum that it was written with")
    for name, noted in sums["arrays"].items():
        if name in arrays and checksum(arrays[name]) != noted:
            raise damaged(path, f"the array {name!r} does not have the checksum that it was written with")


def _check_names(path: str, notes: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Raises if the notes mention arrays that the file does not have."""
    ties = notes.get("ties", {})
    listed = [*notes.get("variables", {}), *notes.get("checksums", {}).get("arrays", {}), *ties.values()]
    for described in notes.get("optimizers", {}).values():
        slots = [key for member in described["members"].values() for key in member.values()]
        listed += [key for key in (*slots, *described.get("shared", {}).values()) if key not in ties]
    for name in listed:
        if name not in arrays:
            raise damaged(
                path, f"its metadata lists the array {name!r}, but the file has no array of that name"
            )


def damaged(path: str, how: str) -> CheckpointError:
    """Returns the error for a file that was changed after it was written."""
    return CheckpointError(
        f"load: {path!r} is damaged: {how}.",
        why="Nothing was changed.",
        remedy="Load another copy. If the file was changed on purpose, write its arrays again "
        "without metadata: safetensors.numpy.save_file(load_file(path), path).",
        site=here(),
    )


__all__ = ["FORMAT", "checksum", "damaged", "is_own", "read", "written"]
