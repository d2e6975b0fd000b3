"""The opposite direction: the variables of layers as a PyTorch `state_dict`, with its names and shapes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from penstock.errors import CheckpointError
from penstock.state.checkpoint_items import Contents
from penstock.state.layouts import units
from penstock.state.torch_layout import ATTENTION, NAMES
from penstock.trace.source_site import here

METADATA = {"format": "pt"}
"""The metadata that readers of such files expect."""
_SIDES = {"forward_layer": "", "backward_layer": "_reverse"}


def written(
    contents: Contents, values: Mapping[str, np.ndarray], table: Mapping[str, str] | None
) -> dict[str, np.ndarray]:
    """Returns the arrays of a `state_dict`; `table` maps paths here to other module names.

    The common first part of all paths is left out, as a `state_dict` does not name the module itself. Raises
    CheckpointError for a path in `table` that no layer has, and for two arrays of one name.
    """
    found = list(units(contents, "torch"))
    paths = [unit.path for unit in found]
    first = paths[0][:1] if paths and all(path[:1] == paths[0][:1] != () for path in paths) else ()
    every = [layer for _, root in contents.layers for layer in (root, *root._found().layers)]
    apart = set(_weights(layer for layer in every if hasattr(layer, "depth_multiplier")))
    # The user's own layers choose the names of their weights.
    named = set(_weights(layer for layer in every if type(layer).__module__.startswith("penstock.")))
    left = {} if table is None else dict(table)
    made: dict[str, np.ndarray] = {}
    for unit in found:
        own = {local: values[name] for local, name in unit.names.items()}
        path, side = unit.path, ""
        if path[-1:] and path[-1] in _SIDES and "recurrent_kernel" in own:
            side, path = _SIDES[path[-1]], path[:-1]
        module = _renamed(path, first, table or {}, left)
        each_channel = any(contents.variables[name]._uid in apart for name in unit.names.values())
        kept = {local for local, name in unit.names.items() if contents.variables[name]._uid in named}
        for local, array in _arrays(own, side, each_channel, kept):
            name = ".".join((*module, local)) if module else local
            if name in made:
                raise CheckpointError(
                    f"save: two arrays would have the name {name!r}.",
                    why="A module of PyTorch has one of each name.",
                    remedy="Give one of the layers another module with map.",
                    site=here(),
                )
            made[name] = np.ascontiguousarray(array)
    if left:
        raise CheckpointError(
            f"save: map names {', '.join(map(repr, left))}, where there is no layer.",
            origin="there are " + ", ".join(repr("/".join(path)) for path in paths),
            remedy="Use a path of a layer, such as model.layers[0].path.",
            site=here(),
        )
    return made


def _weights(layers: Iterable[Any]) -> Iterator[int]:
    """Yields the numbers of the variables that layers hold themselves."""
    for layer in layers:
        yield from (one._uid for _, one in layer._parts([]) if not hasattr(one, "_is_layer"))


def _renamed(
    path: tuple[str, ...], first: tuple[str, ...], table: Mapping[str, str], left: dict[str, str]
) -> tuple[str, ...]:
    for end in range(len(path), 0, -1):
        above = "/".join(path[:end])
        if above in table:
            left.pop(above, None)
            return (*(part for part in table[above].split(".") if part), *path[end:])
    return path[len(first) :]


def _arrays(
    own: Mapping[str, np.ndarray], side: str, each_channel: bool, kept: set[str]
) -> Iterator[tuple[str, np.ndarray]]:
    if "recurrent_kernel" in own:
        yield from _recurrent(own, side)
    elif "query/kernel" in own:
        yield from _attention(own)
    else:
        for local, value in own.items():
            name = NAMES.get(local, local) if local in kept else local
            if local == "alpha":
                value = value.reshape(-1)
            elif local == "kernel" and each_channel:
                *window, channels, multiplier = value.shape
                value = np.moveaxis(value, (-2, -1), (0, 1)).reshape(channels * multiplier, 1, *window)
            elif local == "kernel" and value.ndim > 1:
                value = value.transpose(value.ndim - 1, value.ndim - 2, *range(value.ndim - 2))
            yield name, value


def _recurrent(own: Mapping[str, np.ndarray], side: str) -> Iterator[tuple[str, np.ndarray]]:
    units, width = own["recurrent_kernel"].shape
    gates = width // units

    def ordered(value: np.ndarray) -> np.ndarray:
        if gates != 3:
            return value
        update, reset, new = np.split(value, 3)
        return np.concatenate([reset, update, new])

    yield f"weight_ih_l0{side}", ordered(own["kernel"].T)
    yield f"weight_hh_l0{side}", ordered(own["recurrent_kernel"].T)
    if "bias" in own:
        bias = own["bias"]
        both = bias if bias.ndim == 2 else (bias, np.zeros_like(bias))
        for word, one in zip(("ih", "hh"), both, strict=True):
            yield f"bias_{word}_l0{side}", ordered(one)


def _attention(own: Mapping[str, np.ndarray]) -> Iterator[tuple[str, np.ndarray]]:
    flat = [own[f"{part}/kernel"].reshape(len(own[f"{part}/kernel"]), -1).T for part in ATTENTION[:3]]
    if len({one.shape for one in flat}) == 1:
        yield "in_proj_weight", np.concatenate(flat)
    else:
        for part, one in zip(ATTENTION, flat, strict=False):
            yield f"{part[0]}_proj_weight", one
    if "query/bias" in own:
        yield "in_proj_bias", np.concatenate([own[f"{part}/bias"].reshape(-1) for part in ATTENTION[:3]])
    merged = own["attention_output/kernel"]
    yield "out_proj.weight", merged.reshape(-1, merged.shape[-1]).T
    if "attention_output/bias" in own:
        yield "out_proj.bias", own["attention_output/bias"]


__all__ = ["METADATA", "written"]
