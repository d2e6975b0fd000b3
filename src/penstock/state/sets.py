"""Checkpoints of several files: one written by each process, and an index that names them, as a set.

The index is `model.safetensors.index.json` for the path `model.safetensors`, and its "weight_map" says in
which file each array is, as tools of Hugging Face write and read it. It is written last and atomically, and
the files of a new set never have the names of files in the old index: whichever process is killed, the index
names one complete set.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from penstock.errors import CheckpointError, PenstockError
from penstock.state import files, notes
from penstock.state.peers import Peers
from penstock.trace.source_site import here

INDEX = ".index.json"
"""Follows the path in the name of an index."""
_ENDING = ".safetensors"
_SECONDS = 5
"""How long a file of another process may be invisible on a shared disk."""
_OTHER = "-next"
"""Distinguishes the files of alternate sets saved at one path."""


def index_of(path: str) -> str:
    """Returns the path of the index that belongs to a path; the path of an index is returned unchanged."""
    return path if path.endswith(INDEX) else path + INDEX


def _real(path: str) -> str:
    """Returns the file behind all links; an impossible path is refused later."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def owners_of(sizes: Mapping[str, int], count: int) -> dict[str, int]:
    """Returns which of the processes writes each array, so that each writes about as many bytes.

    >>> owners_of({"a": 10, "b": 4, "c": 4}, 2)
    {'a': 0, 'b': 1, 'c': 1}
    """
    loads = [(0, 0, number) for number in range(count)]
    found = {}
    for name in sorted(sizes, key=lambda one: (-sizes[one], one)):
        size, held, number = min(loads)
        found[name] = number
        loads[number] = (size + sizes[name], held + 1, number)
    return found


def write(
    path: str,
    sizes: Mapping[str, int],
    value_of: Callable[[str, bool], np.ndarray | None],
    noted: Mapping[str, Any],
    peers: Peers,
) -> None:
    """Writes a set of files at a path, one from each process, replacing the earlier save.

    `sizes` has the bytes of each array. `value_of` returns an array as it is stored; its second argument says
    whether this process writes it; if not, this process helps others to read theirs. Raises CheckpointError
    in every process if one of them cannot write its part, saves something else, or does not answer; the
    earlier save is then unchanged.
    """
    base = _real(path)
    owners = owners_of(sizes, peers.count)
    parts = min(peers.count, len(sizes))
    head = _agreed(path, base, sizes, peers)
    own = f"{head}-{peers.number + 1:05d}-of-{parts:05d}{_ENDING if base.endswith(_ENDING) else ''}"
    shard = os.path.join(os.path.dirname(base), own)
    said: dict[str, Any] = {}
    try:
        arrays = {}
        for name, number in owners.items():
            value = value_of(name, number == peers.number)
            if value is not None and number == peers.number:
                arrays[name] = value
        if arrays:
            _write_part(shard, arrays)
        sums = {name: notes.checksum(one) for name, one in arrays.items()}
        said = {"file": own, "sums": sums, "bytes": sum(one.nbytes for one in arrays.values())}
    except BaseException as error:
        said = {"error": error.fact if isinstance(error, PenstockError) else repr(error)}
        raise
    finally:
        if "error" in said:
            with contextlib.suppress(PenstockError):
                peers.told("written", json.dumps(said))
            _remove([shard])
    answers = [json.loads(one) for one in peers.told("written", json.dumps(said))]
    for number, answer in enumerate(answers):
        if "error" in answer:
            _remove([shard])
            raise _failed(path, f"process {number} could not write its part: {answer['error']}")
    problem = ""
    if peers.number == 0:
        try:
            _commit(base, answers, noted)
        except CheckpointError as failed:
            problem = failed.fact
    problem = peers.told("committed", problem)[0]
    if problem:
        _remove([shard])
        raise _failed(path, f"process 0 could not write the index: {problem}")


def _write_part(shard: str, arrays: dict[str, np.ndarray]) -> None:
    from safetensors.numpy import save_file

    files.replace(shard, lambda partial: save_file(arrays, partial))


def _agreed(path: str, base: str, sizes: Mapping[str, int], peers: Peers) -> str:
    """Returns the prefix of the file names. Raises if processes do not save the same things."""
    refused: CheckpointError | None = None
    try:
        files.target(base)
        refuse_foreign(path)
    except CheckpointError as error:
        # Tell the others first: they would wait for this process.
        refused = error
    here_said = {"path": path, "head": _head(base), "sizes": dict(sizes), "fact": refused and refused.fact}
    every = [json.loads(one) for one in peers.told("save", json.dumps(here_said))]
    if refused is not None:
        raise refused
    for number, other in enumerate(every):
        if other["fact"]:
            raise _failed(path, f"process {number} says: {other['fact']}")
        problem = ""
        if other["path"] != every[0]["path"]:
            problem = f"process {number} saves at {other['path']!r} and process 0 at {every[0]['path']!r}"
        elif other["sizes"] != every[0]["sizes"]:
            names = sorted(dict(other["sizes"].items() ^ every[0]["sizes"].items()))
            problem = f"process {number} and process 0 save different things: they differ in {names[0]!r}" + (
                f" and {len(names) - 1} more" if len(names) > 1 else ""
            )
        if problem:
            raise CheckpointError(
                f"save: {problem}.",
                why="All processes write one checkpoint together, each its own part.",
                remedy="Call save in every process, with the same path and the same things.",
                site=here(),
            )
    head: str = every[0]["head"]
    return head


def _head(base: str) -> str:
    """Returns the prefix for new file names, different from that of the files in use."""
    plain = os.path.basename(base).removesuffix(_ENDING)
    used = _named(index_of(base))
    return plain + _OTHER if any(re.match(re.escape(plain) + r"-\d", one) for one in used) else plain


def _named(index: str) -> list[str]:
    """Returns the files that an index names; none without an index, or if it cannot be read."""
    try:
        found = json.loads(Path(index).read_text(encoding="utf-8"))["weight_map"].values()
        return list(dict.fromkeys(one for one in found if os.path.basename(one) == one))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def _commit(base: str, answers: Sequence[Mapping[str, Any]], noted: Mapping[str, Any]) -> None:
    """Makes the index name the new files, and removes those of the old set."""
    folder, index = os.path.dirname(base), index_of(base)
    before = _named(index)
    for number, answer in enumerate(answers):
        if answer["sums"] and not _seen(os.path.join(folder, answer["file"])):
            raise CheckpointError(
                f"process {number} has written {answer['file']!r}, but process 0 does not see it: they do "
                "not share a disk."
            )
    sums = {name: one for answer in answers for name, one in answer["sums"].items()}
    where = {name: answer["file"] for answer in answers for name in answer["sums"]}
    total = sum(answer["bytes"] for answer in answers)
    text = {"total_size": total, **notes.written(noted, sums)}
    content = json.dumps({"metadata": text, "weight_map": where}, indent=1)
    files.replace(index, lambda partial: Path(partial).write_text(content, encoding="utf-8"))
    head = re.escape(os.path.basename(base).removesuffix(_ENDING) + _OTHER)
    killed = [one for one in os.listdir(folder) if re.fullmatch(head + r"-\d{5}-of-\d{5}(\..*)?", one)]
    gone = {*before, *killed, os.path.basename(base)} - set(where.values())
    _remove([os.path.join(folder, one) for one in gone])


def _seen(file: str) -> bool:
    """Returns whether a file exists; on a shared disk its name may take some seconds to appear."""
    for _ in range(_SECONDS * 10):
        if os.path.isfile(file):
            return True
        time.sleep(0.1)
    return False


def supersede(path: str) -> None:
    """Removes the set that an earlier save left at the path of a single file."""
    index = index_of(_real(path))
    if os.path.exists(index):
        named = _named(index)
        # From here on `load` reads the single file.
        _remove([index, *(os.path.join(os.path.dirname(index), one) for one in named)])


def refuse_foreign(path: str) -> None:
    """Raises CheckpointError if Penstock did not write the index at a path: its files would be lost."""
    index = index_of(_real(path))
    if not os.path.exists(index):
        return
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        found = json.loads(Path(index).read_text(encoding="utf-8"))["metadata"]
        if notes.is_own(found):
            return
    raise CheckpointError(
        f"save: {path!r} has an index, {os.path.basename(index)!r}, that Penstock has not written.",
        why="The files that it names would be removed.",
        remedy="Save under another name, or remove the index and its files first.",
        site=here(),
    )


def _remove(paths: Sequence[str]) -> None:
    for one in paths:
        with contextlib.suppress(OSError):
            os.unlink(one)


def _failed(path: str, how: str) -> CheckpointError:
    return CheckpointError(
        f"save: {path!r} was not saved: {how}",
        why="The earlier save is unchanged.",
        remedy="Free some space, make the folder writable for every process, or save elsewhere.",
        site=here(),
    )


# -- reading ----------------------------------------------------------------------------------------------


def read(path: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Returns the arrays saved at a path, in one file or several, and their notes if Penstock wrote them.

    Raises CheckpointError if a file is incomplete, has been changed, or cannot be read.
    """
    index = index_of(path)
    for last in (False, False, True):
        text = _text(index)
        if text is None:
            return files.read(path)
        try:
            return _read_set(index, text)
        except CheckpointError:
            if last or _text(index) == text:
                raise
            # Another set was saved in the meantime.
    raise AssertionError("the last attempt returns or raises")


def _text(index: str) -> str | None:
    try:
        return Path(index).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise _unreadable(index, str(error)) from error


def _read_set(index: str, text: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    try:
        found = json.loads(text)
        where, about = found["weight_map"], found.get("metadata") or {}
        fits = all(isinstance(one, str) for pair in where.items() for one in pair)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _unreadable(index, f"{type(error).__name__}: {error}") from None
    if not fits or not isinstance(about, dict):
        raise _unreadable(index, "its weight_map does not say in which file each array is")
    arrays: dict[str, np.ndarray] = {}
    ties: dict[str, str] = {}
    for name in dict.fromkeys(where.values()):
        part = os.path.join(os.path.dirname(index), name)
        if not os.path.isfile(part):
            raise _unreadable(index, f"it names {name!r}, and there is no such file")
        given, noted = files.opened(part)
        ties.update(noted)
        # A file may hold more than the index lists, such as one of an earlier set: only listed arrays count.
        arrays.update({key: value for key, value in given.items() if where.get(key) == name})
    for key, name in where.items():
        if key not in arrays:
            raise _unreadable(
                index, (f"it says that {name!r} holds the array {key!r}, but the file does not contain it")
            )
    own = {key: value for key, value in about.items() if isinstance(value, str)}
    return files.understood(index, arrays, own if notes.is_own(own) else ties)


def _unreadable(index: str, how: str) -> CheckpointError:
    return CheckpointError(
        f"load: {index!r} is not the index of a whole checkpoint: {how}.",
        why=(
            "A checkpoint of several files consists of its index and all files that it names. Nothing was "
            "changed."
        ),
        remedy="Copy all of its files into one folder, or load another copy.",
        site=here(),
    )


__all__ = ["index_of", "owners_of", "read", "refuse_foreign", "supersede", "write"]
