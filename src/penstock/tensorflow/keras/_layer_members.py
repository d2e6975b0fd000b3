"""What programs ask of a layer beside calling it: dtypes, variables for a file, and its symbolic results."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.layers.base import Layer as NativeLayer
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras import _functional as functional
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell


class LayerMembers:
    """Attributes and methods of Keras' layers that the native ones do not have."""

    supports_jit = True
    """Whether the layer can be compiled."""
    quantization_mode = None
    """How the layer is quantized: it is not."""

    @property
    def input_dtype(self: Any) -> str:
        """The dtype to which inputs are converted."""
        return str(self.compute_dtype)

    @property
    def metrics_variables(self: Any) -> list[Any]:
        """The variables of the metrics."""
        return [variable for metric in self.metrics for variable in metric.variables]

    def symbolic_call(self: Any, *arguments: Any, **options: Any) -> Any:
        """Returns the symbolic results of a call on symbolic tensors."""
        return self(*arguments, **options)

    def compute_output_spec(self: Any, *arguments: Any, **options: Any) -> Any:
        """Returns the shapes and dtypes of the results for symbolic inputs, as symbolic tensors."""
        before = self.__dict__.get("_latest")
        found = functional.note(self, arguments, options)
        object.__setattr__(self, "_latest", before)
        return found

    def build_from_config(self: Any, config: Any) -> None:
        """Makes the variables for the shape in a configuration that `get_build_config` returned."""
        if config and "input_shape" in config:
            self.build(config["input_shape"])
        elif config and "shapes_dict" in config:
            self.build(**config["shapes_dict"])

    def save_own_variables(self: Any, store: Any) -> None:
        """Writes the values of the layer's own variables to a dictionary, by their numbers."""
        for number, variable in enumerate(own_variables(self)):
            store[str(number)] = np.asarray(variable.numpy())

    def load_own_variables(self: Any, store: Any) -> None:
        """Takes values for the layer's own variables from a dictionary; raises ValueError if their number
        differs."""
        own = own_variables(self)
        if len(store) != len(own):
            built = "" if own else " Layer was never built and thus it doesn't have any variables."
            raise ArgumentError(
                f"Layer '{self.name}' expected {len(own)} variables, but received {len(store)} variables "
                f"during loading. Expected: {[one.name for one in own]}{built}",
                site=here(),
            )
        for number, variable in enumerate(own):
            variable.assign(store[str(number)])

    def stateless_call(
        self: Any, trainable_variables: Any, non_trainable_variables: Any, *args: Any,
        return_losses: bool = False, **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Returns the result of a call with these values of the variables, and those that the others get.

        With `return_losses`, the losses that the call added, too. Nothing of the layer is changed.
        """
        from penstock.tensorflow.keras import _stateless

        values = trainable_variables, non_trainable_variables
        return _stateless.call(self, *values, args, kwargs, return_losses)

    def quantize(self: Any, mode: Any, type_check: bool = True, config: Any = None) -> None:
        """Raises NotImplementedError: layers are not quantized. The arguments do nothing."""
        raise NotImplementedError(
            f"Layer {type(self).__name__} does not have a `quantize()` method implemented."
        )


def own_variables(thing: Any) -> list[Any]:
    """Returns the variables of a layer itself, trained ones first, as Keras numbers them."""
    if isinstance(thing, NativeLayer):
        kept = [one for _, one in thing._parts([]) if isinstance(one, Cell)]
        return sorted(kept, key=lambda one: not getattr(one, "_reported", one._trainable))
    return list(getattr(thing, "variables", ()))


def keeps_its_own(layer: Any, method: str) -> bool:
    """Returns whether a layer has its own way to put variables into a file, or to take them from it."""
    found = getattr(layer, method, None)
    return found is not None and getattr(found, "__func__", None) is not getattr(LayerMembers, method)


__all__ = ["LayerMembers", "keeps_its_own", "own_variables"]
