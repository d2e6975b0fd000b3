"""The intermediate results of a model's stages."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from penstock.paddle import nn
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._manipulation import flatten
from penstock.paddle.nn._containers import LayerDict
from penstock.trace.source_site import here


class IntermediateLayerGetter(LayerDict):
    """A model up to the last of some layers, which returns the output of each under a given name.

    Layers are called in the model's order, each on the result of the one before.

    Args:
        model: a model whose layers follow one another.
        return_layers: names of its layers, and the names that their results get.

    Raises:
        InvalidValueError: if the model has no such layer.
    """

    def __init__(self, model: Any, return_layers: dict[str, str]) -> None:
        present = dict(model.named_children())
        missing = [name for name in return_layers if name not in present]
        if missing:
            raise InvalidValueError(
                "return_layers are not present in model",
                origin=f"missing: {', '.join(missing)}",
                remedy=f"Its layers are {', '.join(present)}.",
                site=here(),
            )
        last = max(list(present).index(name) for name in return_layers)
        super().__init__(dict(list(present.items())[: last + 1]))
        self.return_layers = return_layers

    def forward(self, x: Any) -> OrderedDict[str, Any]:
        """Returns the results by name."""
        found = OrderedDict()
        for name, layer in self.items():
            inner = layer.sublayers(include_self=True)[:2]
            if x.ndim == 4 and any(isinstance(one, nn.Linear) for one in inner):
                x = flatten(x, 1)
            x = layer(x)
            if name in self.return_layers:
                found[self.return_layers[name]] = x
        return found


__all__ = ["IntermediateLayerGetter"]
