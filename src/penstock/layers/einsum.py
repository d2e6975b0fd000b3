"""A dense layer over any axes, which letters select."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Unpack

from penstock.errors import ArgumentError
from penstock.functions.einsum import einsum
from penstock.layers import activations, constraints, initializers, regularizers
from penstock.layers.arguments import lengths_given
from penstock.layers.base import Layer
from penstock.layers.options import Options
from penstock.trace.source_site import here

_FORMS = (
    r"([a-zA-Z]+),([a-zA-Z]+)->([a-zA-Z]+)",
    r"\.\.\.([a-zA-Z]+),([a-zA-Z]+)->\.\.\.([a-zA-Z]+)",
    r"([a-zA-Z]{2,})\.\.\.,([a-zA-Z]+)->([a-zA-Z]+)\.\.\.",
)


class EinsumDense(Layer):
    """activation(einsum(equation, inputs, kernel) + bias): a product over axes that the equation names.

    `equation` is "inputs,kernel->outputs" with a letter for each axis, such as "abc,cd->abd"; "..." may come
    first, or last, in inputs and outputs. `output_shape` has the lengths of the output's axes except the
    first and those of "..."; None is the length of the input's axis with the same letter. `bias_axes` are
    letters of the output: the axes with a separate bias at each position; none by default.

    Args:
        equation: as in `einsum`, with the kernel as the second operand.
        output_shape: the shape of the result without the batch; None for the lengths that are free.
        activation: a function, or its name; None for none.
        bias_axes: the letters of the axes that have a bias; None for none.
        kernel_initializer: the initializer of the kernel, or its name.
        bias_initializer: the initializer of the bias, or its name.
        kernel_regularizer: a penalty on the kernel: a regularizer or its name; None for none.
        bias_regularizer: a penalty on the bias: a regularizer or its name; None for none.
        kernel_constraint: a constraint on the kernel, applied after each update; None for none.
        bias_constraint: a constraint on the bias, applied after each update; None for none.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if an argument or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> layer = ps.layers.EinsumDense("abc,cde->abde", output_shape=(None, 2, 3), bias_axes="e")
    >>> layer(ps.ones((4, 5, 6))).shape
    (4, 5, 2, 3)
    >>> [tuple(variable.shape) for variable in layer.variables]
    [(6, 2, 3), (3,)]
    """

    _takes_one = True

    def __init__(
        self,
        equation: str,
        output_shape: Any,
        activation: Any = None,
        bias_axes: str | None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(**options)
        self.equation = equation
        self.partial_output_shape = lengths_given(self, "output_shape", output_shape)
        self.bias_axes = bias_axes
        self.activation = activations.get(activation)
        self.kernel_initializer = self._initializer(kernel_initializer)
        self.bias_initializer = self._initializer(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the kernel, and the bias if there is one."""
        kernel, bias, into = self._shapes(tuple(input_shape))
        self.kernel = self.add_weight(
            shape=kernel,
            initializer=_counting(self.kernel_initializer, into),
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            name="kernel",
        )
        if bias is not None:
            self.bias = self.add_weight(
                shape=bias,
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
                name="bias",
            )
        self.built = True

    def _shapes(self, given: tuple[Any, ...]) -> tuple[tuple[int, ...], Any, list[bool]]:
        """Returns the shapes of kernel and bias, and which axes of the kernel are summed over."""
        found = [re.fullmatch(form, self.equation.replace(" ", "")) for form in _FORMS]
        form = next((i for i, one in enumerate(found) if one is not None), None)
        if form is None:
            raise ArgumentError(
                f"Invalid einsum equation '{self.equation}'. Equations must be in the form [X],[Y]->[Z], "
                "...[X],[Y]->...[Z], or [X]...,[Y]->[Z]....",
                site=here(),
            )
        inputs, weights, outputs = found[form].groups()  # type: ignore[union-attr]
        more = len(given) - len(inputs)
        if more < 0 or (more and not form):
            raise ArgumentError(
                f"EinsumDense: the input has shape {given}, and '{self.equation}' names {len(inputs)} axes.",
                remedy="Give an input with as many axes as the equation has letters before the comma.",
                site=here(),
            )
        first, last = (more, 0) if form == 1 else (0, more)
        lengths = dict(zip(inputs, given[first : len(given) - last], strict=True))
        full = (
            given[0],
            *(given[1:first] if first else ()),
            *self.partial_output_shape,
            *given[len(given) - last :],
        )
        if len(full) != first + len(outputs) + last:
            raise ArgumentError(
                f"EinsumDense: output_shape is {self.partial_output_shape}, and '{self.equation}' gives "
                f"{first + len(outputs) + last} axes.",
                why="It must give the lengths of all axes except the first and those of '...'.",
                site=here(),
            )
        sizes = dict(zip(outputs, full[first:], strict=False))
        for letter, n in sizes.items():
            if letter not in inputs + weights:
                self._refuse(
                    f"Dimension '{letter}' was specified in the output '{outputs}' but has no "
                    f"corresponding dim in the input spec '{inputs}' or weight spec '{weights}'"
                )
            if letter in lengths and n is not None and n != lengths[letter]:
                self._refuse(
                    f"Input shape and output shape do not match at shared dimension '{letter}'. Input "
                    f"shape is {lengths[letter]}, and output shape is {n}."
                )
        for letter in weights:
            if letter not in inputs + outputs:
                self._refuse(
                    f"Weight dimension '{letter}' did not have a match in either the input spec "
                    f"'{inputs}' or the output spec '{outputs}'. For this layer, the weight must be "
                    "fully specified."
                )
        known = {**lengths, **{letter: n for letter, n in sizes.items() if n is not None}}
        return (
            tuple(known[letter] for letter in weights),
            self._bias_shape(outputs, known, last),
            [letter not in outputs for letter in weights],
        )

    def _bias_shape(self, outputs: str, known: dict[str, Any], last: int) -> Any:
        if self.bias_axes is None:
            return None
        for letter in self.bias_axes:
            if letter not in outputs:
                self._refuse(
                    f"Bias dimension '{letter}' was requested, but is not part of the output spec '{outputs}'"
                )
        places = outputs[min(outputs.find(letter) for letter in self.bias_axes) :] if self.bias_axes else ""
        return (*(known[letter] if letter in self.bias_axes else 1 for letter in places), *(1,) * last)

    def _refuse(self, fact: str) -> None:
        raise ArgumentError(fact, origin=f"{self.name}: equation '{self.equation}'", site=here())

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        y: Any = einsum(self.equation, inputs, self.kernel)
        bias = self.bias
        if bias is not None:
            y = y + bias
        return y if self.activation is activations.linear else self._activated(y)


def _counting(initializer: Any, into: Sequence[bool]) -> Any:
    """Makes an initializer count the summed axes as inputs and the others as outputs."""
    if not isinstance(initializer, initializers.VarianceScaling):
        return initializer
    return initializer.along(into)


__all__: list[str] = ["EinsumDense"]
