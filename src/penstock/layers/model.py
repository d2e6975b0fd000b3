"""Models: layers that contain layers, as a sequence or as your own class, and their summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from penstock.errors import ArgumentError, PenstockError
from penstock.layers.base import Layer
from penstock.layers.calls import inside, tells_other
from penstock.layers.masks import hand_on
from penstock.layers.tracking import Structure
from penstock.trace.source_site import here


class Model(Layer):
    """A layer that contains layers. Write one as a subclass: create layers in `__init__`, use them in `call`.

    There is no `fit`: you write the step. See `Layer` for variables, `trainable` and `losses`.

    >>> import penstock as ps
    >>> class Classifier(ps.layers.Model):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.blocks = [ps.layers.Dense(4, "relu"), ps.layers.Dense(4, "relu")]
    ...         self.head = ps.layers.Dense(2)
    ...     def call(self, x):
    ...         for block in self.blocks:
    ...             x = block(x)
    ...         return self.head(x)
    >>> model = Classifier()
    >>> model(ps.zeros((1, 3))).shape
    (1, 2)
    >>> [variable.path for variable in model.variables][-2:]
    ['classifier/head/kernel', 'classifier/head/bias']
    """

    supports_masking, _makes_masks = True, False

    @property
    def layers(self) -> list[Any]:
        """The layers directly in this model, each once."""
        found: dict[int, Any] = {}
        for layer in self._sublayers():
            found.setdefault(id(layer), layer)
        return list(found.values())

    def compute_mask(self, inputs: Any, mask: Any) -> Any:
        """Returns None: the layers inside have already handled the masks."""
        return None

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """Returns the layer of a name, or at a position."""
        layers = self.layers
        if index is not None:
            if not -len(layers) <= index < len(layers):
                raise ArgumentError(
                    f"Was asked to retrieve layer at index {index} but model only has {len(layers)} layers.",
                    site=here(),
                )
            return layers[index]
        for layer in layers:
            if layer.name == name:
                return layer
        names = [layer.name for layer in layers]
        raise ArgumentError(f"No such layer: {name}. Existing layers are: {names}.", site=here())

    def summary(
        self,
        line_length: int | None = None,
        positions: Any = None,
        print_fn: Any = None,
        expand_nested: bool = False,
        show_trainable: bool = False,
        layer_range: Any = None,
    ) -> None:
        """Prints a table of the layers: name, class, shape of the latest result, count of numbers.

        If `print_fn` is given, it is called with the text instead. `show_trainable` adds a column.
        `layer_range` shows the layers from the first whose name a regular expression matches to the last
        that matches another. (`positions` does nothing: columns are as wide as `line_length` allows.)
        """
        from penstock.layers.summary import summary

        summary(self, line_length, print_fn, expand_nested, show_trainable, layer_range, self._of_optimizer())

    def _rows(self) -> tuple[list[Any], dict[int, str] | None]:
        """Returns the layers of the table, and by `id` the inputs of each; None if they are unknown."""
        return self.layers, None

    def _of_optimizer(self) -> Any:
        """Returns the variables of an optimizer that belongs to the model; None if there is none."""
        return None


class Sequential(Model):
    """A sequence of layers: each is called on the result of the previous one. Paths contain the positions.

    Args:
        layers: a list of layers; None for none.
        trainable: whether to train the variables inside.
        name: the path, a string; None generates one.
        more: options of every layer, see `Layer`.

    >>> import penstock as ps
    >>> model = ps.layers.Sequential(
    ...     [ps.layers.Dense(4, "relu"), ps.layers.Dropout(0.5), ps.layers.Dense(1)], name="scorer")
    >>> model(ps.zeros((2, 3))).shape
    (2, 1)
    >>> [variable.path for variable in model.variables]
    ['scorer/0/kernel', 'scorer/0/bias', 'scorer/2/kernel', 'scorer/2/bias']
    """

    def __init__(
        self,
        layers: Sequence[Any] | None = None,
        trainable: bool = True,
        name: str | None = None,
        **more: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, **more)
        self._row: list[Any] = []
        for layer in layers or ():
            self._add(layer)

    @property
    def layers(self) -> list[Any]:
        """The layers in their order."""
        return list(self._row)

    def _parts(self, seen: list[Any]) -> Iterator[tuple[str, Any]]:
        for position, layer in enumerate(self._row):
            yield str(position), layer
        for name, one in super()._parts(seen):
            if not name.startswith("row/"):
                yield name, one

    def add(self, layer: Any) -> None:
        """Appends a layer, or a function of a tensor."""
        self._add(layer)

    def _add(self, layer: Any) -> None:
        if not isinstance(layer, Layer):
            if not callable(layer) or isinstance(layer, type):
                raise ArgumentError(
                    f"Only instances of `{self._layer_word}` can be added to a Sequential model. Received: "
                    f"{layer} (of type {type(layer)})",
                    site=here(),
                )
            layer = self._as_layer(layer)
        if any(layer.name == one.name and layer is not one for one in self._row):
            raise ArgumentError(
                f"All layers added to a Sequential model should have unique names. Name {layer.name!r} is "
                f"already the name of a layer in this model. Update the `name` argument to pass a unique "
                "name.",
                site=here(),
            )
        self._row.append(layer)
        Structure.changes += 1

    def _as_layer(self, function: Any) -> Any:
        from penstock.layers.core import Lambda

        return Lambda(function)

    def pop(self, rebuild: bool = True) -> Any:
        """Removes the last layer and returns it. `rebuild` does nothing: a model is built by its calls."""
        if not self._row:
            raise PenstockError("pop: this model has no layers.", site=here())
        Structure.changes += 1
        return self._row.pop()

    def __len__(self) -> int:
        return len(self._row)

    def _recreated(self, name: str, **changes: Any) -> Any:
        if type(self).__init__ is not Sequential.__init__:
            return super()._recreated(name, **changes)
        # Layers may have been added or removed since.
        return super()._recreated(name, layers=self._row, **changes)

    def build(self, input_shape: Any = None) -> None:
        """Builds the layers for an input of a shape, by calling them without values."""
        if input_shape is not None and not all(layer.built for layer in self._row):
            self._dry_run(input_shape)
        self.built = True

    def _build(self, signature: Any, inputs: Any, options: Any) -> None:
        # The following call builds each layer for its input.
        self._name_parts()
        self.built = True

    def _dry_run(self, input_shape: Any) -> None:
        from penstock.layers.shapes import dry_run

        def in_a_row(x: Any) -> Any:
            for layer in self._row:
                x = layer(x)
            return x

        dry_run(self, in_a_row, input_shape)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """Calls the layers one after another."""
        if tells_other(training):
            with inside(self, training):
                return self.call(inputs, training, mask)
        if mask is not None:
            hand_on(inputs, mask)
        x = inputs
        for layer in self._row:
            x = layer(x)
        return x


__all__: list[str] = ["Model", "Sequential"]
