"""Containers: layers that hold other layers or parameters, in order or by name, under Paddle's names."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from penstock.paddle._declaring import in_nn
from penstock.paddle.nn._layer import Layer


def _is_named(pair: Sequence[Any]) -> bool:
    """Returns whether this is a pair of name and layer."""
    return len(pair) == 2 and isinstance(pair[0], str)


@in_nn
class Sequential(Layer):
    """Layers one after another: given one by one, or as pairs of name and layer."""

    def __init__(self, *layers: Any) -> None:
        super().__init__()
        if len(layers) == 1 and isinstance(layers[0], OrderedDict):
            layers = tuple(layers[0].items())
        elif len(layers) == 1 and isinstance(layers[0], list | tuple) and not _is_named(layers[0]):
            layers = tuple(layers[0])
        for i, one in enumerate(layers):
            if isinstance(one, list | tuple):
                self.add_sublayer(*one)
            else:
                self.add_sublayer(str(i), one)

    def forward(self, input: Any) -> Any:
        """Passes the input through all layers."""
        for layer in self._sub_layers.values():
            input = layer(input)
        return input

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return Sequential(*list(self._sub_layers.values())[key])
        if isinstance(key, str):
            return self._sub_layers[key]
        return list(self._sub_layers.values())[key]

    def __setitem__(self, key: Any, layer: Any) -> None:
        self._put(str(key), layer)

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._sub_layers.values())

    def append(self, module: Any) -> Any:
        """Puts a layer after the others."""
        self.add_sublayer(str(len(self)), module)
        return self

    def extend(self, sequential: Iterable[Any]) -> Any:
        """Puts layers after the others."""
        for one in sequential:
            self.append(one)
        return self

    def insert(self, index: int, module: Any) -> Any:
        """Puts a layer before another; raises IndexError for a place that is not there."""
        found = list(self._sub_layers.values())
        if not -len(found) <= index <= len(found):
            raise IndexError(f"Index out of range: {index}")
        found.insert(index, module)
        self._sub_layers.clear()
        self.extend(found)
        return self

    def __delitem__(self, key: Any) -> None:
        names = list(self._sub_layers)
        for name in [key] if isinstance(key, str) else names[key] if isinstance(key, slice) else [names[key]]:
            del self._sub_layers[name]


@in_nn("ModuleList")
class LayerList(Layer):
    """A list of layers."""

    def __init__(self, sublayers: Iterable[Any] | None = None) -> None:
        super().__init__()
        for i, one in enumerate(sublayers or ()):
            self.add_sublayer(str(i), one)

    def __getitem__(self, key: Any) -> Any:
        found = list(self._sub_layers.values())
        return LayerList(found[key]) if isinstance(key, slice) else found[key]

    def __setitem__(self, key: int, layer: Any) -> None:
        self._put(str(key % len(self)), layer)

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._sub_layers.values())

    def __delitem__(self, key: Any) -> None:
        found = list(self._sub_layers.values())
        del found[key]
        self._sub_layers.clear()
        for i, one in enumerate(found):
            self._sub_layers[str(i)] = one

    def append(self, sublayer: Any) -> Any:
        """Puts a layer after the others."""
        self.add_sublayer(str(len(self)), sublayer)
        return self

    def pop(self, key: Any) -> Any:
        """Takes a layer away, or those of a slice; returns it, or a list of them."""
        found = self[key]
        del self[key]
        return found

    def extend(self, sublayers: Iterable[Any]) -> Any:
        """Puts layers after the others."""
        for one in sublayers:
            self.append(one)
        return self

    def insert(self, index: int, sublayer: Any) -> None:
        """Puts a layer before another."""
        found = list(self._sub_layers.values())
        found.insert(index, sublayer)
        self._sub_layers.clear()
        for i, one in enumerate(found):
            self._sub_layers[str(i)] = one


@in_nn("ModuleDict")
class LayerDict(Layer):
    """Layers by name."""

    def __init__(self, sublayers: Any = None) -> None:
        super().__init__()
        self.update(sublayers or {})

    def __getitem__(self, key: str) -> Any:
        return self._sub_layers[key]

    def __setitem__(self, key: str, layer: Any) -> None:
        self._put(key, layer)

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[str]:
        return iter(self._sub_layers)

    def __contains__(self, key: str) -> bool:
        return key in self._sub_layers

    def __delitem__(self, key: str) -> None:
        del self._sub_layers[key]

    def clear(self) -> None:
        """Takes all layers away."""
        self._sub_layers.clear()

    def pop(self, key: str) -> Any:
        """Takes a layer away; returns it."""
        found = self[key]
        del self[key]
        return found

    def update(self, sublayers: Any) -> None:
        """Adds layers, or puts them in the place of those of the same names: a mapping, or pairs."""
        pairs = sublayers.items() if hasattr(sublayers, "items") else sublayers
        for name, one in pairs:
            self.add_sublayer(name, one)

    def keys(self) -> Any:
        """Returns the names."""
        return self._sub_layers.keys()

    def values(self) -> Any:
        """Returns the layers."""
        return self._sub_layers.values()

    def items(self) -> Any:
        """Returns names and layers."""
        return self._sub_layers.items()


@in_nn
class ParameterList(Layer):
    """A list of parameters."""

    def __init__(self, parameters: Iterable[Any] | None = None) -> None:
        super().__init__()
        for i, one in enumerate(parameters or ()):
            self.add_parameter(str(i), one)

    def __getitem__(self, key: int) -> Any:
        return list(self._parameters.values())[key]

    def __setitem__(self, key: int, parameter: Any) -> None:
        setattr(self, list(self._parameters)[key], parameter)

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parameters.values())

    def append(self, parameter: Any) -> Any:
        """Puts a parameter after the others."""
        self.add_parameter(str(len(self)), parameter)
        return self


@in_nn
class ParameterDict(Layer):
    """Parameters under names, which the layer knows as its own."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return self._parameters[key]

    def __setitem__(self, key: str, param: Any) -> None:
        self.add_parameter(str(key), param)

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Any:
        return iter(self._parameters)

    def __contains__(self, key: str) -> bool:
        return key in self._parameters

    def keys(self) -> Any:
        """Returns the names."""
        return self._parameters.keys()

    def values(self) -> Any:
        """Returns the parameters."""
        return self._parameters.values()

    def items(self) -> Any:
        """Returns names and parameters."""
        return self._parameters.items()

    def update(self, parameters: Any) -> None:
        """Adds parameters: a mapping, or pairs of names and parameters."""
        pairs = parameters.items() if hasattr(parameters, "items") else parameters
        for key, one in pairs:
            self.add_parameter(str(key), one)
