"""Checkpoints: variables, optimizers and random state in one safetensors file, whole or not at all."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from penstock.errors import CheckpointError, PenstockError
from penstock.state import files, torch_file
from penstock.state.checkpoint_items import Contents, contents_of
from penstock.state.layouts import Arranged, arranged
from penstock.state.peers import joined
from penstock.state.records import records
from penstock.state.selection import first_of, matches, near
from penstock.trace.builder import require_no_recording
from penstock.trace.convert import copied
from penstock.trace.engine import engine
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.spec import Spec, spec

SHOWN = 8
"""How many names of each kind a message lists; the others are counted."""

Renaming = Mapping[str, Any] | Callable[[str, Any], Any]


class Loaded:
    """The result of `load`: the names read, the names skipped, and the plain values of the file."""

    def __init__(
        self, path: str, loaded: list[str], missing: list[str], extra: list[str], kept: dict[str, Any]
    ) -> None:
        self.path, self.loaded, self.missing, self.extra = path, loaded, missing, extra
        self.values = kept
        self.restored: list[str] = []
        self.changed: dict[str, str] = {}
        self.told: list[str] = []

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def __repr__(self) -> str:
        parts = [f"loaded {len(self.loaded)} from {self.path!r}"]
        for word, names in (("not in the file", self.missing), ("left in the file", self.extra)):
            if names:
                parts.append(f"{word}: {first_of(names, SHOWN)}")
        if self.changed:
            shown = [f"{name} from {how}" for name, how in self.changed.items()]
            parts.append(f"changed {len(shown)}: {first_of(shown, SHOWN)}")
        if self.restored:
            parts.append(f"restored: {', '.join(self.restored)}")
        parts += self.told
        return "; ".join(parts)


def save(
    path: str | bytes | os.PathLike[str],
    *things: Any,
    layout: str | None = None,
    map: Mapping[str, str] | None = None,
    **named: Any,
) -> None:
    """Writes variables and their optimizers into one safetensors file, replacing an existing one.

    `things` are Variables, anything with `variables`, optimizers, or lists and dicts of these; they are
    stored by path. Keyword arguments are stored below their name (`model=net` becomes `model/...`). Numbers
    and strings passed by keyword are stored as they are. An optimizer is stored with its state, its
    hyper-parameters and its counts; the state of the random numbers is stored too. The metadata of the file
    is readable JSON, and any reader of safetensors finds the arrays; complex128 is stored as pairs of
    float64.

    The file is written atomically: an interruption at any moment leaves the old one. Where several processes
    train a model together (`ps.distribution`), all of them call `save`, and each writes a file of its own;
    `model.safetensors.index.json` names them, and is written last. A Variable with two names is written once,
    and both names are kept. `trainable` is stored for readers, and `load` reports where it differs, but does
    not set it: the program decides what is trained.

    `layout="torch"` writes the weights for PyTorch instead: by the names of its modules, and with axes and
    gates in its order, so that `module.load_state_dict(safetensors.torch.load_file(path))` takes them. `map`
    then gives paths of layers here the names of modules there, `{"net/2": "classifier"}`. Such a file holds
    nothing else: no optimizer, no values, no random numbers.

    Raises CheckpointError if two Variables have the same name.

    Args:
        path: the file, a string or a path.
        things: variables, layers, models, optimizers, or structures of them.
        layout: "torch" writes the weights for PyTorch; None writes a file for `load`.
        map: with `layout`, a mapping from paths of layers here to module names there.
        named: more things, each with its keyword as the start of their paths.

    Returns:
        None.

    Raises:
        CheckpointError: if two things have one path, or a value cannot be stored.

    >>> import penstock as ps, tempfile
    >>> weight = ps.Variable([1.0, 2.0], name="weight")
    >>> path = tempfile.mkdtemp() + "/model.safetensors"
    >>> ps.save(path, weight, epoch=3)
    >>> changed = weight.assign([0.0, 0.0])
    >>> ps.load(path, weight)["epoch"]
    3
    >>> weight.numpy()
    array([1., 2.], dtype=float32)
    """
    from safetensors.numpy import save_file

    from penstock.state import sets

    shown = files.path_of(path, "save").removesuffix(sets.INDEX)
    _settle("save")
    contents = contents_of(things, named, "save")
    _refuse_unbuilt(things, named)
    peers = joined.peers
    if layout is not None or map is not None:
        foreign = _for_torch(contents, layout, map)
        if peers is None or peers.number == 0:
            files.replace(shown, lambda partial: save_file(foreign, partial, dict(torch_file.METADATA)))
        return
    kept: dict[str, dict[str, Any]] = {}
    first: dict[int, str] = {}
    ties: dict[str, str] = {}
    for key, variable in contents.variables.items():
        if first.setdefault(variable._uid, key) != key:
            ties[key] = first[variable._uid]
            continue
        known: Spec = variable._spec
        kept[key] = {"shape": list(known.shape), "dtype": known.dtype.name, "trainable": variable._trainable}
    noted = {
        "variables": kept,
        "ties": ties,
        "optimizers": {name: one.described() for name, one in contents.optimizers.items()},
        "values": contents.values,
        "streams": {name: [stream.seed, stream.drawn] for name, stream in contents.streams.items()},
        "records": {name: record.note() for name, record in records.items()},
    }
    frame = sys._getframe(1)

    def stored(key: str) -> np.ndarray:
        return files.stored(np.array(contents.variables[key]._look("save()", frame), order="C"))

    if peers is None:
        _write_alone(shown, {key: stored(key) for key in kept}, noted)
        return
    sizes = {key: int(contents.variables[key]._spec.nbytes) for key in kept}
    held = {key: peers.holds(contents.variables[key]._value) for key in kept}
    sets.write(shown, sizes, lambda key, own: stored(key) if own or not held[key] else None, noted, peers)


def _refuse_unbuilt(things: Sequence[Any], named: Mapping[str, Any]) -> None:
    """Raises CheckpointError for a layer of which nothing would be stored, since it has no variables yet."""
    for one in (*things, *named.values()):
        unbuilt = getattr(one, "_unbuilt", None)
        waiting = unbuilt() if unbuilt is not None and not one.variables else ()
        if waiting:
            raise CheckpointError(
                f"save: layer {waiting[0]!r} has no variables yet, so nothing of it would be stored.",
                why="A layer makes its variables when it is first called, from the shape of its input.",
                remedy="Call it once before you save it, or build it for its inputs: layer.build(shape).",
                site=here(),
            )


def _write_alone(path: str, arrays: dict[str, np.ndarray], noted: Mapping[str, Any]) -> None:
    """Writes a checkpoint of one file, replacing the earlier one at this path."""
    from safetensors.numpy import save_file

    from penstock.state import notes, sets

    sets.refuse_foreign(path)
    text = notes.written(noted, {name: notes.checksum(one) for name, one in arrays.items()})
    files.replace(path, lambda partial: save_file(arrays, partial, text))
    sets.supersede(path)


def _for_torch(contents: Contents, layout: str | None, map: Any) -> dict[str, np.ndarray]:
    """Returns the arrays of a file for PyTorch; raises CheckpointError for values such a file cannot hold."""
    if layout != "torch":
        raise CheckpointError(
            f"save: layout={layout!r}." if layout is not None else "save: map is given without a layout.",
            remedy='Use layout="torch" for PyTorch. Keras has the layout of a file without one: see '
            "docs/exchange.md.",
            site=here(),
        )
    held = [*contents.optimizers, *contents.values]
    if held:
        raise CheckpointError(
            f"save: layout='torch' was given with {', '.join(held)}.",
            why="A state_dict holds the weights of modules, and nothing else.",
            remedy="Save the model alone, and the rest in a separate file.",
            site=here(),
        )
    values = {
        key: files.stored(np.array(variable._look("save()", sys._getframe(2)), order="C"))
        for key, variable in contents.variables.items()
    }
    return torch_file.written(contents, values, map)


def load(
    path: str | bytes | os.PathLike[str],
    *things: Any,
    only: Any = None,
    map: Renaming | None = None,
    layout: str | None = None,
    strict: bool = True,
    convert: bool = False,
    **named: Any,
) -> Loaded:
    """Loads a file of `save` into the same variables and optimizers; returns a summary.

    Where several processes have saved at this path, or it has the index of another model in several files,
    all of them are read.

    Pass `things` and `named` as you did to `save`. `only` is a path pattern, or a list of them: other
    variables, other arrays of the file and random numbers are ignored. With `strict=False`, names that exist
    only here or only in the file are skipped and reported. `convert` allows a different dtype.

    `map` is for files from elsewhere: a dict from names in the file to names here, or to a pair of a name
    here and what to do with the array ("transpose", a tuple of axes, or a function); each `*` matches the
    same text in both, as in `{"layers.*.weight": ("net/*/kernel", "transpose")}`. Or it is a function of name
    and array that returns the name here and the array, or None to skip it.

    `layout` is for the weights of a whole model: "torch" for a `state_dict`, "keras" for variables by path. A
    module belongs to the layer with the same path, `encoder.0.weight` to `net/encoder/0/kernel`; arrays are
    transposed, split and reordered as the layers here need them, and `changed` of the result lists which.
    With a layout, `map` renames modules, `{"features.*": "net/body/*"}`, or skips them with None. A dense
    layer after a flattened image needs a `map` instead of `layout`, since PyTorch flattens channels first.

    Raises CheckpointError, which lists all names that are missing, extra or different, and LockedError for a
    frozen variable; in both cases nothing is changed. In the ledger these writes have the cause `load`.

    Args:
        path: the file, a string or a path.
        things: variables, layers, models, optimizers, or structures of them.
        only: patterns of the names to load; None for all.
        map: renames the contents of the file: a mapping or a function.
        layout: "torch" or "keras": the framework whose names and shapes the file has.
        strict: whether missing or unused names are an error.
        convert: whether to convert arrays of another dtype.
        named: more things, each with its keyword as the start of their paths.

    Returns:
        A `Loaded`: the names that were loaded, and those that were missing or unused.

    Raises:
        CheckpointError: if the file is damaged, or does not fit the given things.

    >>> import penstock as ps, tempfile, numpy as np
    >>> from safetensors.numpy import save_file
    >>> path = tempfile.mkdtemp() + "/torch.safetensors"
    >>> save_file({"fc.weight": np.ones((2, 3), np.float32)}, path)
    >>> kernel = ps.Variable(np.zeros((3, 2), np.float32), name="dense/kernel")
    >>> len(ps.load(path, kernel, map={"fc.weight": ("dense/kernel", "transpose")}).loaded)
    1
    """
    from penstock.state import sets

    shown = files.path_of(path, "load")
    _settle("load")
    arrays, metadata = sets.read(shown)
    contents = contents_of(things, named, "load")
    described = metadata.get("optimizers", {})
    both = [(one, described[name]) for name, one in contents.optimizers.items() if name in described]
    for kept, one in both:
        arrays = kept.under_names_here(one, arrays)
    with ExitStack() as undo:
        for kept, one in both:
            undo.callback(kept.undo)
            kept.begin(one, arrays, only is None)
        contents.refresh("load")
        found = Arranged(given=arrays)
        if layout is not None:
            _check_origin(shown, metadata)
            found = arranged(layout, arrays, contents, map, metadata.pop("ties", {}))
        given = found.given if layout is not None else _renamed(arrays, map)
        for key, other in metadata.get("ties", {}).items():
            if other in given:
                given.setdefault(key, given[other])
        for kept, one in both:
            given = {**kept.anew(one, given), **given}
        plan = _Plan(shown, contents, given, metadata, only, strict, convert, found)
        plan.check()
        done = Loaded(shown, plan.loaded, plan.missing, plan.extra, metadata.get("values", {}))
        done.told = plan.flags() + found.told
        done.changed = {name: how for name, how in found.changed.items() if name in plan.loaded}
        if only is None:
            _restore(metadata, contents, done, undo)
        # Last, because it cannot be undone: it succeeds completely, or raises.
        _write(plan.writes())
        undo.pop_all()
    return done


def _restore(metadata: dict[str, Any], contents: Contents, done: Loaded, undo: ExitStack) -> None:
    """Restores everything except variables, in a way that can be undone."""
    for name, described in metadata.get("optimizers", {}).items():
        if name in contents.optimizers:
            contents.optimizers[name].restore(described)
            done.restored.append(name)
            done.told += contents.optimizers[name].untold
    for name, noted in metadata.get("streams", {}).items():
        if name in contents.streams:
            stream = contents.streams[name]
            undo.callback(_set_stream, stream, [stream.seed, stream.drawn])
            _set_stream(stream, noted)
            done.restored.append(f"random numbers of {name}")
    for name, noted in metadata.get("records", {}).items():
        if name in records:
            undo.callback(records[name].restore, records[name].note())
            records[name].restore(noted)
            done.restored.append(name)


def _set_stream(stream: Any, noted: Sequence[int]) -> None:
    stream.seed, stream.drawn = noted


class _Plan:
    """The actions of a load, and the objections to it."""

    def __init__(
        self,
        path: str,
        contents: Contents,
        given: dict[str, np.ndarray],
        metadata: dict[str, Any],
        only: Any,
        strict: bool,
        convert: bool,
        found: Arranged,
    ) -> None:
        self.found = found
        self.path, self.strict, self.convert, self.given = path, strict, convert, given
        wanted = _chosen(list(contents.variables), only, "here")
        offered = _chosen(list(given), only, "in the file") if only is not None else list(given)
        self.variables: dict[str, Any] = {key: contents.variables[key] for key in wanted}
        held = {variable._uid for key, variable in self.variables.items() if key in given}
        self.missing = [
            key for key, one in self.variables.items() if key not in given and one._uid not in held
        ]
        self.extra = [key for key in offered if key not in self.variables]
        self.loaded = [key for key in self.variables if key in given]
        self.stored = metadata.get("variables", {})
        self.ties: dict[str, str] = metadata.get("ties", {})
        self.unbuilt = contents.unbuilt

    def flags(self) -> list[str]:
        """Returns the variables whose `trainable` differs between the program and the file."""
        found = []
        words = {True: "trainable here and not in the file", False: "trainable in the file and not here"}
        for wanted, word in words.items():
            names = [
                key
                for key in self.loaded
                if self.variables[key]._trainable is wanted
                and self.stored.get(self.ties.get(key, key), {}).get("trainable", wanted) is not wanted
            ]
            found += [f"{word}: {first_of(names, SHOWN)}"] if names else []
        return found

    def check(self) -> None:
        """Raises CheckpointError if something does not fit."""
        differing = [text for key in self.loaded if (text := self._difference(key))] + self._broken_ties()
        missing, extra = (self.missing, self.extra) if self.strict else ([], [])
        if not (differing or missing or extra):
            return
        lines = [
            f"{word}: {first_of(names, SHOWN)}"
            for word, names in (("missing", missing), ("extra", extra), ("differing", differing))
            if names
        ]
        for name in missing[:1]:
            close = near(name, self.extra) if self.extra else []
            lines += [f"near {name!r} in the file: {', '.join(close)}"] if close else []
        unbuilt = self.unbuilt if extra else []
        looked = [f"{name} ({self.found.wanted[name]})" for name in missing if name in self.found.wanted]
        lines += [f"looked for in the file: {first_of(looked, SHOWN)}"] if looked else []
        lines += [self.found.remedy] if self.found.remedy else []
        raise CheckpointError(
            f"load: {self.path!r} does not fit: "
            f"{len(missing)} missing, {len(extra)} extra, {len(differing)} differing.",
            origin="\n".join(lines),
            why="Nothing was changed. Missing names exist only here, extra names only in the file.",
            remedy=(
                f"Call {first_of(unbuilt, SHOWN)} once before: "
                "a layer creates its variables at its first call."
                if unbuilt
                else f"Rename with map={{'{self.found.part} in the file': 'name here'}}, choose with "
                "only='encoder/*', or let names be missing or extra with strict=False."
            ),
            site=here(),
        )

    def writes(self) -> Iterator[tuple[Any, np.ndarray]]:
        """Yields each variable once, with its value."""
        seen: set[int] = set()
        for key in self.loaded:
            variable = self.variables[key]
            if variable._uid not in seen:
                seen.add(variable._uid)
                value = self.given[key]
                yield variable, np.array(value, variable._spec.dtype, order="C")

    def _difference(self, key: str) -> str:
        value, own = self.given[key], self.variables[key]._spec
        if value.shape == own.shape and (value.dtype == own.dtype or self._convertible(value, own)):
            return ""
        return f"{key} ({spec(value.shape, value.dtype)!r} in the file, {own!r} here)"

    def _convertible(self, value: np.ndarray, own: Spec) -> bool:
        kinds = {"V": "f"}
        kind, wanted = (kinds.get(one, one) for one in (value.dtype.kind, own.dtype.kind))
        return self.convert and (kind == wanted or "biufc".index(kind) <= "biufc".index(wanted))

    def _broken_ties(self) -> list[str]:
        """Returns names that are one Variable in the file and two here, or the other way round."""
        found = []
        for key, other in self.ties.items():
            one, two = self.variables.get(key), self.variables.get(other)
            if one is not None and two is not None and one is not two:
                found.append(f"{key} (tied to {other} in the file, a separate Variable here)")
        first: dict[int, str] = {}
        for key in self.loaded:
            other = first.setdefault(self.variables[key]._uid, key)
            if other != key and not np.array_equal(self.given[key], self.given[other], equal_nan=True):
                found.append(f"{key} (the same Variable as {other} here, but with another value in the file)")
        return found


def _write(writes: Iterator[tuple[Any, np.ndarray]]) -> None:
    """Writes all of these in one step, or none."""
    trace = local.trace
    try:
        trace.whole = True
        try:
            for variable, value in writes:
                variable._write("load", value, None, sys._getframe(2))
        finally:
            trace.whole = False
        trace.run(not trace.taping and not engine.live_tapes(trace))
    except PenstockError as error:
        engine.abandon(trace, error)
        raise
    except BaseException as error:
        if trace.pending:
            engine.abandon(trace, error)
        raise


def _check_origin(path: str, metadata: dict[str, Any]) -> None:
    """Raises if a file that `save` has written is to be read as another framework's."""
    if "variables" in metadata:
        raise CheckpointError(
            f"load: {path!r} was written by ps.save, so it takes no layout.",
            remedy="Leave layout out.",
            site=here(),
        )


def _settle(what: str) -> None:
    """Runs the pending operations, so that values are current, and a failure affects nothing else."""
    require_no_recording(what, f"Call {what} between the calls of the step.")
    trace = local.trace
    if trace.pending:
        trace.run(not trace.taping and not engine.live_tapes(trace))


def _chosen(names: Sequence[str], only: Any, where: str) -> list[str]:
    """Returns the names that the patterns of `only` match; all of them if it is None."""
    if only is None:
        return list(names)
    patterns = [only] if isinstance(only, str) else list(only)
    for pattern in patterns:
        if not any(matches(pattern, name) for name in names):
            close = near(pattern, names)
            raise CheckpointError(
                f"load: only={pattern!r} matches none of {len(names)} names {where}.",
                origin=f"Near: {', '.join(close)}" if close else "",
                why="Nothing was changed.",
                remedy="Use one of the names above." if close else "Pass what to load into.",
                site=here(),
            )
    return [name for name in names if any(matches(pattern, name) for pattern in patterns)]


def _renamed(arrays: dict[str, np.ndarray], map: Renaming | None) -> dict[str, np.ndarray]:
    """Returns the arrays of a file under their names here."""
    if map is None:
        return arrays
    found: dict[str, np.ndarray] = {}
    unused = set() if callable(map) else set(map)
    for name, array in arrays.items():
        made = map(name, array) if callable(map) else _by_table(name, array, map, unused)
        if made is None:
            continue
        if not isinstance(made, tuple) or len(made) != 2 or not isinstance(made[0], str):
            raise CheckpointError(
                f"load: map returned {type(made).__name__} for {name!r}.",
                why="Nothing was changed.",
                remedy="Return the name here and the array, or None to leave it out.",
                site=here(),
            )
        key, value = made
        if key in found:
            raise CheckpointError(
                f"load: map gives two arrays of the file the same name, {key!r}, the second is {name!r}.",
                why="Nothing was changed.",
                remedy="Give each its own name.",
                site=here(),
            )
        found[key] = array if value is array else copied(np.asanyarray(value))
    if unused:
        name = min(unused)
        close = near(name, list(arrays))
        raise CheckpointError(
            f"load: map names {name!r}, which matches nothing in the file.",
            origin=f"Near: {', '.join(close)}" if close else "",
            why="Nothing was changed.",
            remedy="Use a name of the file on the left.",
            site=here(),
        )
    return found


def _by_table(name: str, array: np.ndarray, table: Mapping[str, Any], unused: set[str]) -> Any:
    for pattern, meant in table.items():
        fitting = re.fullmatch("(.*?)".join(map(re.escape, pattern.split("*"))), name)
        if fitting is None:
            continue
        unused.discard(pattern)
        if meant is None:
            return None
        key, change = meant if isinstance(meant, tuple) else (meant, None)
        for taken in fitting.groups():
            key = key.replace("*", taken, 1)
        if change == "transpose":
            return key, array.T
        if isinstance(change, tuple):
            if sorted(change) != list(range(array.ndim)):
                raise CheckpointError(
                    f"load: map gives the axes {change} for {name!r}, which has the shape {array.shape}.",
                    why="Nothing was changed.",
                    remedy=f"Name each of {array.ndim} axes once, such as {tuple(range(array.ndim))[::-1]}.",
                    site=here(),
                )
            return key, array.transpose(change)
        return key, array if change is None else change(array)
    return name, array


__all__ = ["Loaded", "load", "save"]
