"""Weights written by PyTorch and Keras, converted to the names and shapes of Penstock."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from penstock.errors import CheckpointError
from penstock.state import torch_layout as torch
from penstock.state.checkpoint_items import Contents
from penstock.state.torch_layout import Path, Unit
from penstock.trace.source_site import here

LAYOUTS = ("torch", "keras")


@dataclass
class Arranged:
    """The contents of a file under the names here: arrays, conversions, and messages about the rest."""

    given: dict[str, np.ndarray] = field(default_factory=dict)
    changed: dict[str, str] = field(default_factory=dict)
    wanted: dict[str, str] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    remedy: str = ""
    part: str = "name"


def arranged(
    layout: str, arrays: dict[str, np.ndarray], contents: Contents, table: Any, ties: Mapping[str, str]
) -> Arranged:
    """Returns the arrays of a file of PyTorch or Keras by the names of variables here.

    A module or layer of the file belongs to the one here with the same path, whatever both begin with;
    `table` gives modules of the file their paths here where these differ.
    """
    if layout not in LAYOUTS:
        raise CheckpointError(
            f"load: layout={layout!r}.",
            remedy=f"Use one of {', '.join(map(repr, LAYOUTS))}, or none for files of ps.save.",
            site=here(),
        )
    if table is not None and not isinstance(table, Mapping):
        raise CheckpointError(
            f"load: map is a {type(table).__name__}, and layout={layout!r} decides how the arrays are "
            "converted.",
            why="With a layout, map renames modules of the file.",
            remedy="Give a dictionary, map={'features.0': 'net/1'}, or do it all in map, without a layout.",
            site=here(),
        )
    arrays = {**arrays, **{key: arrays[other] for key, other in ties.items() if other in arrays}}
    done = Arranged(part="module" if layout == "torch" else "layer")
    arrays = {name: value for name, value in arrays.items() if not _needless(name)}
    found = list(units(contents, layout))
    modules = torch.modules(arrays) if layout == "torch" else _keras_modules(arrays)
    modules, exact = _renamed(modules, table or {}, "." if layout == "torch" else "/")
    matched = _matched(found, modules, exact)
    used: set[str] = set()
    for unit, module in matched:
        names = {} if module is None else modules[module]
        file = {local: arrays[name] for local, name in names.items()}
        specs = {local: contents.variables[name]._spec for local, name in unit.names.items()}
        try:
            moves = torch.moves(specs, file) if layout == "torch" else _keras_moves(specs, file)
        except (IndexError, TypeError, ValueError) as error:
            shapes = ", ".join(f"{names[one]} {array.shape}" for one, array in file.items())
            raise CheckpointError(
                f"load: the arrays of a module do not have the axes of {'/'.join(unit.path)!r}: {error}.",
                origin=f"in the file: {shapes}",
                why="Nothing was changed.",
                remedy="Map the module to another path with map, or load another copy.",
                site=here(),
            ) from None
        for local, move in moves.items():
            key = unit.names[local]
            dot = "." if layout == "torch" else "/"
            shown = [names.get(one, dot.join((*(module or ()), one))) for one in move.sources]
            if move.value is None:
                if module is not None:
                    done.wanted[key] = " and ".join(shown)
                continue
            done.given[key] = move.value
            used.update(names[one] for one in move.sources)
            if move.change:
                done.changed[key] = f"{' and '.join(shown)}: {move.change}"
    known = {name for names in modules.values() for name in names.values()}
    left = [name for name in arrays if name in known and name not in used]
    for name in left:
        # A second name for a used array does not count as unused.
        if not (ties.get(name) in used or any(ties.get(one) == name for one in used)):
            done.given.setdefault(name, arrays[name])
    done.remedy = _suggestion(matched, modules, layout)
    if layout == "torch":
        done.told += _epsilons(contents, matched)
    return done


def _needless(name: str) -> bool:
    return name.rpartition(".")[2] == "num_batches_tracked" or name.endswith("seed_generator_state")


def units(contents: Contents, layout: str) -> Iterator[Unit]:
    """Yields the parts of the loaded objects, in order."""
    found: dict[Path, Unit] = {}
    aliases = dict(_aliases(contents))
    state = {key for kept in contents.optimizers.values() for key, _ in kept.variables()}
    for name, variable in contents.variables.items():
        if name in state:
            continue
        parts = tuple(name.split("/"))
        unit = found.setdefault(parts[:-1], Unit(parts[:-1], {}, aliases.get(variable._uid, parts[:-1])))
        unit.names[parts[-1]] = name
    if layout == "torch":
        found = torch.joined(found)
    yield from found.values()


def _aliases(contents: Contents) -> Iterator[tuple[int, Path]]:
    """Yields the path that each variable would have if layers used their names instead of positions."""
    for _, root in contents.layers:
        names: dict[int, Path] = {id(root): (root.name,)}
        for layer in (root, *root._found().layers):
            own = names.setdefault(id(layer), (layer.name,))
            for _, one in layer._parts([]):
                if hasattr(one, "_is_layer"):
                    names.setdefault(id(one), (*own, one.name))
                else:
                    yield one._uid, own


def _keras_modules(arrays: Mapping[str, np.ndarray]) -> dict[Path, dict[str, str]]:
    """Returns the layers of a file of Keras with their arrays: by variables' paths, or as in .h5 files."""
    words = {"query_dense": "query", "key_dense": "key", "value_dense": "value"}
    words["output_dense"] = "attention_output"
    found: dict[Path, dict[str, str]] = {}
    for name in arrays:
        parts = [words.get(part, part) for part in name.split("/")]
        if len(parts) > 1 and parts[-2] == "vars" and parts[-1].isdigit():
            parts = [part for part in parts[:-2] if part != "layers"] + parts[-1:]
        found.setdefault(tuple(parts[:-1]), {})[parts[-1]] = name
    return found


def _keras_moves(specs: Mapping[str, Any], file: Mapping[str, np.ndarray]) -> dict[str, torch.Move]:
    """Takes arrays unchanged, and numbered ones in the order in which a layer creates its variables."""
    found = {}
    for number, local in enumerate(specs):
        source = local if local in file else str(number)
        found[local] = torch.Move((source if source in file else local,), file.get(source))
    return found


def _renamed(
    modules: dict[Path, dict[str, str]], table: Mapping[str, Any], dot: str
) -> tuple[dict[Path, dict[str, str]], set[Path]]:
    """Returns the modules of a file, and the paths among theirs that a table gave them."""
    found: dict[Path, dict[str, str]] = {}
    exact: set[Path] = set()
    unused = set(table)
    for module, names in modules.items():
        shown = dot.join(module)
        path: Path | None = module
        for pattern, meant in table.items():
            fitting = re.fullmatch("(.*?)".join(map(re.escape, pattern.split("*"))), shown)
            if fitting is None:
                continue
            unused.discard(pattern)
            if meant is not None and not isinstance(meant, str):
                raise CheckpointError(
                    f"load: map gives {pattern!r} {meant!r}.",
                    why="With a layout, map renames modules of the file; "
                    "the layout decides how the arrays are converted.",
                    remedy=f"map={{{pattern!r}: 'path/here'}}, or None to leave it out.",
                    site=here(),
                )
            if meant is not None:
                for taken in fitting.groups():
                    meant = meant.replace("*", taken, 1)
            path = None if meant is None else tuple(one for one in meant.split("/") if one)
            break
        else:
            found[module] = names
            continue
        if path is None:
            continue
        if path in exact:
            raise CheckpointError(
                f"load: map gives two modules of the file the path {'/'.join(path)!r}, also {shown!r}.",
                why="Nothing was changed.",
                remedy="Give each its own path.",
                site=here(),
            )
        exact.add(path)
        found[path] = names
    if unused:
        raise CheckpointError(
            f"load: map names {min(unused)!r}, which is not a module of the file.",
            origin="modules: " + ", ".join(dot.join(one) or "(the file itself)" for one in [*modules][:12]),
            why="Nothing was changed. With a layout, the names on the left are modules, not arrays.",
            remedy="Use one of the modules above; * matches anything.",
            site=here(),
        )
    return found, exact


def _common(paths: list[Path]) -> int:
    """Returns how many leading parts these paths have in common."""
    if not paths:
        return 0
    first, last = min(paths), max(paths)
    apart = [i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b]
    return apart[0] if apart else len(first)


def _matched(
    units: list[Unit], modules: Mapping[Path, Any], exact: set[Path]
) -> list[tuple[Unit, Path | None]]:
    """Returns each unit with the module of the file that has its path.

    The common prefix of all modules of the file (`module.`) and that of all units here (the model's name) may
    differ: of the ways to leave parts of them out, it takes the one that matches most paths.
    """
    free = [module for module in modules if module not in exact]
    best: list[Path | None] = [None] * len(units)
    for paths in ([unit.path for unit in units], [unit.alias for unit in units]):
        for mine in range(_common(paths) + 1):
            for theirs in range(_common(free) + 1):
                known = {module[theirs:]: module for module in free}
                found = [
                    next((one for one in (path, path[mine:]) if one in exact), known.get(path[mine:]))
                    for path in paths
                ]
                if len(set(found) - {None}) > len(set(best) - {None}):
                    best = found
    return list(zip(units, best, strict=True))


def _natural(path: Path) -> list[Any]:
    return [[(not one.isdigit(), int(one) if one.isdigit() else 0, one) for one in _digits(p)] for p in path]


def _digits(part: str) -> list[str]:
    return re.findall(r"\d+|\D+", part)


def _suggestion(matched: list[tuple[Unit, Path | None]], modules: Mapping[Path, Any], layout: str) -> str:
    """Returns a map to try: the unmatched names of both sides in order, if there are equally many."""
    taken = {module for _, module in matched}
    left = sorted((module for module in modules if module not in taken), key=_natural)
    missing = [unit for unit, module in matched if module is None]
    if not left or len(left) != len(missing):
        return ""
    dot = "." if layout == "torch" else "/"
    pairs = {dot.join(module): "/".join(unit.path) for module, unit in zip(left, missing, strict=True)}
    return f"If both are in the same order: map={pairs!r}"


def _epsilons(contents: Contents, matched: list[tuple[Unit, Path | None]]) -> list[str]:
    """Says which normalizations have another epsilon than PyTorch's default."""
    found = {}
    for prefix, root in contents.layers:
        for layer in (root, *root._found().layers):
            found[tuple((prefix + layer.path).split("/"))] = getattr(layer, "epsilon", None)
    return [
        f"{'/'.join(unit.path)} has epsilon={found[unit.path]:g}, where PyTorch's default is 1e-05"
        for unit, module in matched
        if module is not None and "gamma" in unit.names and found.get(unit.path) not in (None, 1e-5)
    ]


__all__ = ["LAYOUTS", "Arranged", "arranged"]
