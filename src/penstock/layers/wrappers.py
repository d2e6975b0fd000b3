"""Layers around other layers: bidirectional, one layer at every step, and masking."""

from __future__ import annotations

from typing import Any, Unpack

from penstock.errors import ArgumentError
from penstock.functions import array
from penstock.layers.base import Layer
from penstock.layers.options import Options
from penstock.trace.source_site import here

MERGES = ("concat", "sum", "mul", "ave", None)


def _check_layer(owner: str, layer: Any) -> None:
    if not isinstance(layer, Layer):
        raise ArgumentError(
            f"Please initialize `{owner}` layer with a `keras.layers.Layer` instance. Received: {layer}",
            remedy=f"Give a layer, not its class or result: {owner}(LSTM(8)).",
            site=here(),
        )


class Bidirectional(Layer):
    """A recurrent layer, and another like it that goes backwards; each has its own variables.

    `merge_mode` is "concat" (along the last axis), "sum", "mul", "ave", or None for both results. Both layers
    are new copies of `layer`; `backward_layer` replaces the second, and needs `go_backwards=True`. Masked
    steps give zeros if sequences are returned. Variables are found below `forward_layer` and
    `backward_layer`, or, if `layer` was given a name, below `forward_<name>` and `backward_<name>`.

    Args:
        layer: a layer.
        merge_mode: "concat", "sum", "mul", "ave", or None for both results.
        weights: must be None; call the layer once and write `set_weights`.
        backward_layer: the layer that goes backwards; None for one like the first.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    >>> import penstock as ps
    >>> layer = ps.layers.Bidirectional(ps.layers.LSTM(4, return_sequences=True), name="both")
    >>> layer(ps.zeros((2, 5, 3))).shape
    (2, 5, 8)
    >>> layer.variables[0].path
    'both/forward_layer/cell/kernel'
    """

    supports_masking, _makes_masks = True, False

    def __init__(
        self,
        layer: Any,
        merge_mode: str | None = "concat",
        weights: Any = None,
        backward_layer: Any = None,
        **options: Unpack[Options],
    ) -> None:
        _check_layer("Bidirectional", layer)
        if backward_layer is not None and not isinstance(backward_layer, Layer):
            raise ArgumentError(
                f"`backward_layer` need to be a `keras.layers.Layer` instance. Received: {backward_layer}",
                site=here(),
            )
        if merge_mode not in MERGES:
            raise ArgumentError(
                f"Invalid merge mode. Received: {merge_mode}. Merge mode should be one of "
                '{"sum", "mul", "ave", "concat", None}',
                site=here(),
            )
        if weights is not None:
            raise ArgumentError(
                "Bidirectional does not take weights.",
                remedy="Call the layer once, then layer.set_weights(weights), the forward ones first.",
                site=here(),
            )
        for one in (layer, backward_layer):
            if one is not None and not hasattr(one, "go_backwards"):
                raise ArgumentError(
                    f"Bidirectional: {type(one).__name__} {one.name!r} is not a recurrent layer.",
                    why="It has no go_backwards attribute, so its direction cannot be reversed.",
                    remedy="Give an LSTM, GRU or SimpleRNN.",
                    site=here(),
                )
        super().__init__(**options)
        self.forward_layer = layer._recreated(f"forward_{layer.name.removeprefix('forward_')}")
        if backward_layer is None:
            name = f"backward_{layer.name.removeprefix('backward_')}"
            backward_layer = layer._recreated(name, go_backwards=True)
        self.backward_layer = backward_layer
        self._check_likeness()
        self.merge_mode = merge_mode
        self.return_sequences, self.return_state = layer.return_sequences, layer.return_state

    def _check_likeness(self) -> None:
        ahead, back = self.forward_layer, self.backward_layer
        if ahead.go_backwards == back.go_backwards:
            raise ArgumentError(
                "Forward layer and backward layer should have different `go_backwards` value. Received: "
                f"forward_layer.go_backwards {ahead.go_backwards}, "
                f"backward_layer.go_backwards={back.go_backwards}",
                site=here(),
            )
        for word in ("return_sequences", "return_state"):
            if getattr(ahead, word) != getattr(back, word):
                raise ArgumentError(
                    "Forward layer and backward layer are expected to have the same value for attribute "
                    f'"{word}", got "{getattr(ahead, word)}" for forward layer and '
                    f'"{getattr(back, word)}" for backward layer',
                    site=here(),
                )

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = None) -> Any:
        """Goes through the steps both ways. `initial_state` lists the states of both, forward ones first."""
        half = len(initial_state) // 2 if initial_state is not None else 0
        states = (None, None) if initial_state is None else (initial_state[:half], initial_state[half:])
        found = [
            layer(sequences, initial_state=state, mask=mask, training=training)
            for layer, state in zip((self.forward_layer, self.backward_layer), states, strict=True)
        ]
        rest: list[Any] = []
        if self.return_state:
            rest = [*found[0][1:], *found[1][1:]]
            found = [one[0] for one in found]
        if self.return_sequences:
            found[1] = array.flip(found[1], axis=1)
            if mask is not None:
                kept = array.expand_dims(mask, axis=-1)
                found = [array.where(kept, one, 0.0) for one in found]
        output = self._merged(*found)
        if self.merge_mode is None:
            return (*output, *rest)
        return (output, *rest) if self.return_state else output

    def _merged(self, ahead: Any, back: Any) -> Any:
        if self.merge_mode == "concat":
            return array.concat([ahead, back], axis=-1)
        if self.merge_mode is None:
            return ahead, back
        if self.merge_mode == "mul":
            return ahead * back
        return ahead + back if self.merge_mode == "sum" else (ahead + back) / 2.0

    def compute_mask(self, inputs: Any, mask: Any) -> Any:
        """Returns the mask if sequences are returned."""
        if not self.return_sequences:
            return None
        return [mask, mask] if self.merge_mode is None else mask


class TimeDistributed(Layer):
    """The same layer at every step of [batch, steps, ...].

    All steps are computed at once, as one larger batch; if the layer keeps statistics and is training, they
    are computed one by one, as in Keras. A mask [batch, steps, ...] goes to the layer, if it takes one,
    without the axis of steps.

    Args:
        layer: a layer.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    >>> import penstock as ps
    >>> ps.layers.TimeDistributed(ps.layers.Dense(4))(ps.zeros((2, 5, 3))).shape
    (2, 5, 4)
    """

    supports_masking = True

    _only_computes = True

    def __init__(self, layer: Any, **options: Unpack[Options]) -> None:
        _check_layer("TimeDistributed", layer)
        super().__init__(**options)
        self.layer = layer

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """Computes the layer."""
        shape = tuple(inputs._spec.shape)
        if len(shape) < 3:
            raise ArgumentError(
                "`TimeDistributed` Layer should be passed an `input_shape` with at least 3 dimensions, "
                f"received: {shape}",
                site=here(),
            )
        if mask is not None and tuple(mask._spec.shape[:2]) != shape[:2]:
            raise ArgumentError(
                f"TimeDistributed {self.name!r}: the mask has shape {tuple(mask._spec.shape)}, the input "
                f"{shape}.",
                why="The first two axes of both must be the batch and the steps.",
                remedy=f"Give a mask of shape {shape[:2]}, true for the steps that count.",
                site=here(),
            )
        given = {"training": training, "mask": mask}
        given = {key: one for key, one in given.items() if one is not None and self._layer_takes(key)}
        if training and (not self.layer.built or self.layer.non_trainable_weights):
            if "mask" not in given:
                return array.stack([self.layer(inputs[:, i], **given) for i in range(shape[1])], axis=1)
            return array.stack(
                [self.layer(inputs[:, i], **{**given, "mask": mask[:, i]}) for i in range(shape[1])], axis=1
            )
        if "mask" in given:
            given["mask"] = _joined(mask)
        found = self.layer(_joined(inputs), **given)
        return array.reshape(found, (*shape[:2], *found._spec.shape[1:]))

    def _layer_takes(self, name: str) -> bool:
        return name in self.layer._signature[0].parameters


def _joined(x: Any) -> Any:
    """Returns [batch, steps, ...] as one larger batch."""
    batch, steps, *rest = x._spec.shape
    return array.reshape(x, (batch * steps, *rest))


class Masking(Layer):
    """Masks the steps of [batch, steps, features] whose features all are `mask_value`, and makes them zero.

    The layers that follow skip these steps: a recurrent layer keeps its state.

    Args:
        mask_value: the number that marks a step without data.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        DTypeError: if an input has the wrong dtype or type.
        ArgumentError: if an input has a value that is not allowed.
        ShapeError: if an input has the wrong shape, or names an axis that is not there.

    >>> import penstock as ps
    >>> x = ps.asarray([[[1.0], [2.0], [0.0]]])
    >>> rnn = ps.layers.SimpleRNN(1, kernel_initializer="ones", recurrent_initializer="ones",
    ...                           bias_initializer="ones", activation=None)
    >>> float(rnn(x)[0, 0]), float(rnn(ps.layers.Masking()(x))[0, 0])
    (6.0, 5.0)
    """

    supports_masking = True

    def __init__(self, mask_value: Any = 0.0, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self.mask_value = mask_value

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Returns which steps count."""
        return array.any(array.not_equal(inputs, self.mask_value), axis=-1)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        return array.where(array.expand_dims(self.compute_mask(inputs), axis=-1), inputs, 0.0)


__all__: list[str] = ["Bidirectional", "Masking", "TimeDistributed"]
