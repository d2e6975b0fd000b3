"""How the arrays of a PyTorch `state_dict` are converted: names, axes, and the order of gates.

PyTorch's `Linear` keeps (out, in), convolutions (out, in, *window), transposed ones (in, out, *window); here
it is (in, out), (*window, in, out) and (*window, out, in), as in Keras. Gates of `GRU` are reset, update, new
there and update, reset, new here; those of `LSTM` have the same order. Names are those of torch.nn's pages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Path = tuple[str, ...]

ATTENTION = ("query", "key", "value", "attention_output")
NAMES = {
    "kernel": "weight",
    "embeddings": "weight",
    "gamma": "weight",
    "scale": "weight",
    "alpha": "weight",
    "beta": "bias",
    "moving_mean": "running_mean",
    "moving_variance": "running_var",
}
"""Names of the variables of layers, and of the parameters of modules."""
_RECURRENT = re.compile(r"((?:weight|bias)_(?:ih|hh))_l(\d+)(_reverse)?")


@dataclass
class Unit:
    """A part of a model whose arrays belong together: a layer, or the projections of an attention.

    `names` has its variables by their names inside it; `alias` is `path` with names of layers in place of
    their positions.
    """

    path: Path
    names: dict[str, str]
    alias: Path = ()


@dataclass
class Move:
    """An array as needed here, the module's arrays it was made from, and how; None if one is missing."""

    sources: tuple[str, ...]
    value: np.ndarray | None
    change: str = ""


def modules(arrays: Mapping[str, np.ndarray]) -> dict[Path, dict[str, str]]:
    """Returns the modules of a `state_dict` by path, each with the names of its arrays.

    Each layer of a recurrent module counts as a module, and an attention includes its output projection.
    """
    found: dict[Path, dict[str, str]] = {}
    for name in arrays:
        *parts, local = name.split(".")
        found.setdefault(tuple(parts), {})[local] = name
    for path, names in list(found.items()):
        fitting = {local: one for local in names if (one := _RECURRENT.fullmatch(local))}
        numbers = {one[2] for one in fitting.values()}
        both = any(one[3] for one in fitting.values())
        if len(numbers) > 1 or both:
            for local, one in fitting.items():
                below = (one[2],) if len(numbers) > 1 else ()
                side = (("backward_layer" if one[3] else "forward_layer"),) if both else ()
                found.setdefault((*path, *below, *side), {})[f"{one[1]}_l0"] = names.pop(local)
        if "in_proj_weight" in names or "q_proj_weight" in names:
            projection = found.pop((*path, "out_proj"), {})
            names.update({f"out_proj.{local}": name for local, name in projection.items()})
        if not names:
            del found[path]
    return found


def joined(units: dict[Path, Unit]) -> dict[Path, Unit]:
    """Returns the parts of a model as in PyTorch: a cell belongs to its layer, an attention is one part."""
    found: dict[Path, Unit] = {}
    for path, unit in units.items():
        above = path[:-1]
        if "recurrent_kernel" in unit.names:
            found[above] = Unit(above, unit.names, unit.alias[:-1])
        elif path[-1:] and path[-1] in ATTENTION and all((*above, one) in units for one in ATTENTION):
            whole = found.setdefault(above, Unit(above, {}, unit.alias[:-1]))
            whole.names.update({f"{path[-1]}/{local}": name for local, name in unit.names.items()})
        else:
            found[path] = unit
    return found


def moves(specs: Mapping[str, Any], file: Mapping[str, np.ndarray]) -> dict[str, Move]:
    """Returns the values for the variables of a part, from the arrays of a module."""
    if "recurrent_kernel" in specs:
        return _recurrent(specs, file)
    if "query/kernel" in specs:
        return _attention(specs, file)
    return {local: _plain(local, own, file) for local, own in specs.items()}


def _plain(local: str, own: Any, file: Mapping[str, np.ndarray]) -> Move:
    source = NAMES.get(local, local)
    if source not in file and local in file:
        source = local
    value = file.get(source)
    if value is None or source == local:
        return Move((source,), value)
    if local == "kernel" and value.ndim > 1:
        return _kernel(source, value, own)
    if local == "alpha" and value.shape != own.shape and value.size in (1, own.size):
        # One number for all channels, or one for each channel, in whichever axes our variable has.
        spread = np.full(own.shape, value.reshape(-1)) if value.size == 1 else value.reshape(own.shape)
        return Move((source,), spread, f"{value.shape} as {own.shape}")
    return Move((source,), value)


def _kernel(source: str, value: np.ndarray, own: Any) -> Move:
    axes = (*range(2, value.ndim), 1, 0)
    moved = value.transpose(axes)
    shape = own.shape
    if moved.shape != shape and value.shape[1] == 1 and len(shape) == value.ndim > 2:
        channels, multiplier = shape[-2:]
        if channels * multiplier == len(value):
            # One window for each channel: out is (channel, multiple) there.
            apart = value.reshape(channels, multiplier, *value.shape[2:])
            axes = (*range(2, value.ndim), 0, 1)
            change = f"{value.shape} as {apart.shape} transposed {axes}"
            return Move((source,), apart.transpose(axes), change)
    return Move((source,), moved, f"{value.shape} transposed {axes}")


def _recurrent(specs: Mapping[str, Any], file: Mapping[str, np.ndarray]) -> dict[str, Move]:
    units, width = specs["recurrent_kernel"].shape
    gates = width // units if units else 1
    swap = "gates in the order z, r, n" if gates == 3 else ""

    def ordered(value: np.ndarray) -> np.ndarray:
        if gates != 3 or len(value) % 3:
            return value
        reset, update, new = np.split(value, 3)
        return np.concatenate([update, reset, new])

    found = {}
    for local, source in (("kernel", "weight_ih_l0"), ("recurrent_kernel", "weight_hh_l0")):
        found[local] = Move((source,), None)
        if source in file:
            change = "; ".join(filter(None, (f"{file[source].shape} transposed (1, 0)", swap)))
            found[local] = Move((source,), ordered(file[source]).T, change)
    if "bias" in specs:
        both = ("bias_ih_l0", "bias_hh_l0")
        values = [ordered(file[one]) for one in both if one in file]
        if len(values) < 2:
            found["bias"] = Move(both, None)
        elif len(specs["bias"].shape) == 2:
            found["bias"] = Move(both, np.stack(values), "; ".join(filter(None, ("side by side", swap))))
        else:
            found["bias"] = Move(both, values[0] + values[1], "added")
    return found


def _attention(specs: Mapping[str, Any], file: Mapping[str, np.ndarray]) -> dict[str, Move]:
    found = {}
    for number, part in enumerate(ATTENTION[:3]):
        shape = specs[f"{part}/kernel"].shape
        source = f"{part[0]}_proj_weight"
        if "in_proj_weight" in file:
            source = "in_proj_weight"
            found[f"{part}/kernel"] = _heads(source, _third(file[source], number), shape)
        else:
            found[f"{part}/kernel"] = _heads(source, file.get(source), shape)
        if f"{part}/bias" in specs:
            found[f"{part}/bias"] = Move(("in_proj_bias",), None)
            if "in_proj_bias" in file:
                third, own = _third(file["in_proj_bias"], number), specs[f"{part}/bias"].shape
                third = third.reshape(own) if third.size == own[0] * own[1] else third
                found[f"{part}/bias"] = Move(("in_proj_bias",), third, f"a third, as {own}")
    own = specs["attention_output/kernel"].shape
    found["attention_output/kernel"] = Move(("out_proj.weight",), None)
    if "out_proj.weight" in file:
        turned = file["out_proj.weight"].T
        change = f"{turned.T.shape} transposed (1, 0), as {own}"
        fits = turned.shape == (own[0] * own[1], own[2])
        merged = Move(("out_proj.weight",), turned.reshape(own) if fits else turned, change)
        found["attention_output/kernel"] = merged
    if "attention_output/bias" in specs:
        found["attention_output/bias"] = Move(("out_proj.bias",), file.get("out_proj.bias"))
    return found


def _third(value: np.ndarray, number: int) -> np.ndarray:
    size = len(value) // 3
    return value[number * size : (number + 1) * size]


def _heads(source: str, value: np.ndarray | None, shape: tuple[int, ...]) -> Move:
    if value is None:
        return Move((source,), None)
    part = "" if source != "in_proj_weight" else "a third, "
    change = f"{part}{value.shape} transposed (1, 0), as {shape}"
    fits = value.shape == (shape[1] * shape[2], shape[0])
    return Move((source,), value.T.reshape(shape) if fits else value.T, change)


__all__ = ["Move", "joined", "modules", "moves"]
