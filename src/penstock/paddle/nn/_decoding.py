"""Sequences written one label after another: `dynamic_decode`, and the search that keeps several beams."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from penstock.paddle import _creation, _manipulation, _math
from penstock.paddle._convert import data
from penstock.paddle._declaring import in_nn
from penstock.paddle._dtype import default_dtype
from penstock.paddle.nn import functional as F
from penstock.trace.source_site import warn_once
from penstock.trace.structure import flat, mapped

_LEAST = -1e9
"""The logarithm that represents a probability of zero."""


def _joined(function: Callable[..., Any], *structures: Any) -> Any:
    """Returns a structure like the first, each leaf computed from those at its position in all of them."""
    others = [iter(flat(one)) for one in structures[1:]]
    return mapped(structures[0], lambda one: function(one, *(next(other) for other in others)))


@in_nn("paddle.nn.decode.Decoder")
class Decoder:
    """Base of decoders for `dynamic_decode`: subclasses write `initialize` and `step`, maybe `finalize`."""

    def initialize(self, inits: Any) -> Any:
        """Returns the first inputs, the first states, and which sequences are finished."""
        raise NotImplementedError

    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """Returns the outputs of a step, the states after it, the next inputs, and which sequences are
        finished.
        """
        raise NotImplementedError

    def finalize(self, outputs: Any, final_states: Any, sequence_lengths: Any) -> Any:
        """Returns the outputs of all steps, [steps, batch, ...], and the last states, as they are to be."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """Whether `step` returns all finished sequences: False to add those that were finished before."""
        return False


class _Outputs(NamedTuple):
    scores: Any
    predicted_ids: Any
    parent_ids: Any


class _States(NamedTuple):
    cell_states: Any
    log_probs: Any
    finished: Any
    lengths: Any


@in_nn
class BeamSearchDecoder(Decoder):
    """Keeps the `beam_size` most likely beginnings of each sequence, step by step.

    `cell(inputs, states)` returns outputs and states for [batch * beams, ...]; `output_fn` makes the outputs
    scores of the labels, and `embedding_fn` makes labels inputs. A sequence begins after `start_token` and
    ends with `end_token`.

    >>> from penstock import paddle
    >>> cell = paddle.nn.GRUCell(4, 4)
    >>> decoder = paddle.nn.BeamSearchDecoder(
    ...     cell, 0, 1, 2, paddle.nn.Embedding(5, 4), paddle.nn.Linear(4, 5))
    >>> start = cell.get_initial_states(paddle.ones([3, 4]))
    >>> ids, states = paddle.nn.dynamic_decode(decoder, start, max_step_num=6)
    >>> ids.shape[0], ids.shape[2], states.lengths.shape
    (3, 2, paddle.Size([3, 2]))
    """

    OutputWrapper = _Outputs
    StateWrapper = _States

    def __init__(
        self, cell: Any, start_token: int, end_token: int, beam_size: int, embedding_fn: Any = None,
        output_fn: Any = None,
    ) -> None:  # fmt: skip
        self.cell, self.embedding_fn, self.output_fn = cell, embedding_fn, output_fn
        self.start_token, self.end_token, self.beam_size = start_token, end_token, beam_size

    @staticmethod
    def tile_beam_merge_with_batch(x: Any, beam_size: int) -> Any:
        """Returns x, [batch, ...], as [batch * beam_size, ...]: each example so often in a row.

        For other inputs of `cell` besides its inputs and states, such as the outputs of an encoder.
        """
        return _manipulation.flatten(_repeated(x, beam_size), 0, 1)

    def initialize(self, initial_cell_states: Any) -> Any:
        """Returns the first inputs and states, [batch, beams, ...], and that no beam is finished."""
        lengths = [flat(initial_cell_states)[0]._spec.shape[0], self.beam_size]
        ids = _creation.full(lengths, self.start_token, "int64")
        # All beams are the same at first: only one of them may be gone on with.
        likely = np.full(lengths, _LEAST, default_dtype())
        likely[:, 0] = 0.0
        finished = _creation.full(lengths, False, "bool")
        states = mapped(initial_cell_states, lambda one: _repeated(one, self.beam_size))
        first = self.embedding_fn(ids) if self.embedding_fn else ids
        return first, _States(states, data(likely), finished, _creation.zeros(lengths, "int64")), finished

    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """Returns the choice of each beam, the states, the next inputs, and which beams are finished.

        The number of the step, `time`, does nothing.
        """
        merged = mapped(inputs, _merged), mapped(states.cell_states, _merged)
        outputs, after = self.cell(*merged, **kwargs)
        split = mapped(outputs, self._split)
        scores = self.output_fn(split) if self.output_fn is not None else split
        chosen, following = self._chosen(scores, mapped(after, self._split), states)
        ids = chosen.predicted_ids
        return chosen, following, self.embedding_fn(ids) if self.embedding_fn else ids, following.finished

    def _chosen(self, scores: Any, after: Any, states: Any) -> tuple[_Outputs, _States]:
        """Returns the best labels to continue each beam with, by their probability since the start."""
        count = scores._spec.shape[-1]
        ended = np.full(count, _LEAST, scores._spec.dtype)
        ended[self.end_token] = 0.0
        likely = _math.where(states.finished.unsqueeze(2), data(ended), F.log_softmax(scores))
        total = (likely + states.log_probs.unsqueeze(2)).reshape([-1, self.beam_size * count])
        best, places = _manipulation.topk(total, self.beam_size)
        beams, labels = _math.floor_divide(places, count), _math.remainder(places, count)
        finished, lengths = _taken(states.finished, beams), _taken(states.lengths, beams)
        following = _States(
            mapped(after, lambda one: _taken(one, beams)),
            best,
            _math.logical_or(finished, _math.equal(labels, self.end_token)),
            lengths + _math.logical_not(finished).astype("int64"),
        )
        return _Outputs(best, labels, beams), following

    def _split(self, x: Any) -> Any:
        return x.reshape([-1, self.beam_size, *x._spec.shape[1:]])

    def finalize(self, outputs: Any, final_states: Any, sequence_lengths: Any) -> Any:
        """Returns the whole sequences, read back from their ends, and the states.

        The states have the `sequence_lengths`, which do nothing here.
        """
        return F.gather_tree(outputs.predicted_ids, outputs.parent_ids), final_states

    @property
    def tracks_own_finished(self) -> bool:
        """True: beams change places, together with their finished flags."""
        return True


def _repeated(x: Any, times: int) -> Any:
    return _manipulation.tile(x.unsqueeze(1), [1, times, *[1] * (x._spec.ndim - 1)])


def _merged(x: Any) -> Any:
    return _manipulation.flatten(x, 0, 1)


def _taken(x: Any, beams: Any) -> Any:
    """Returns, of x [batch, beams, ...], the beams at these places, [batch, beams]."""
    rows = np.broadcast_to(np.arange(x._spec.shape[0])[:, None], beams._spec.shape)
    return _manipulation.gather_nd(x, _manipulation.stack([data(rows.copy()), beams], 2))


@in_nn
def dynamic_decode(
    decoder: Any, inits: Any = None, max_step_num: int | None = None, output_time_major: bool = False,
    impute_finished: bool = False, is_test: bool = False, return_length: bool = False, **kwargs: Any,
) -> Any:  # fmt: skip
    """Runs the steps of a decoder until all sequences are finished; returns the outputs and the last states.

    Outputs are [batch, steps, ...], or [steps, batch, ...] with `output_time_major`. At most
    `max_step_num` + 1 steps are run, as in Paddle. With `impute_finished` the states of a sequence that is
    finished stay as they are; with `return_length` the lengths of the sequences are returned, too. `kwargs`
    go to `decoder.step`. Each step is followed by a check whether all are finished. `is_test` does nothing.
    """
    inputs, states, finished = decoder.initialize(inits)
    lengths = _creation.zeros_like(finished).astype("int64")
    steps: list[Any] = []
    while not _all(finished):
        time = _creation.full([1], len(steps), "int64")
        output, after, inputs, now = decoder.step(time, inputs, states, **kwargs)
        if decoder.tracks_own_finished:
            if not hasattr(after, "lengths"):
                warn_once(
                    "`next_states` has no `lengths` attribute, the returned `sequence_lengths` would be all "
                    "zeros.",
                )
            lengths = getattr(after, "lengths", lengths)
        else:
            now = _math.logical_or(now, finished)
            lengths = lengths + _math.logical_not(now).astype("int64")
            if impute_finished:
                after = _joined(lambda old, new, mask=now: _kept(mask, old, new), states, after)
        states, finished = after, now
        steps.append(output)
        if max_step_num is not None and len(steps) > max_step_num:
            break
    found = _joined(lambda *each: _manipulation.stack(each, 0), *steps)
    with contextlib.suppress(NotImplementedError):
        found, states = decoder.finalize(found, states, lengths)
    if not output_time_major:
        found = mapped(found, lambda one: _manipulation.transpose(one, [1, 0, *range(2, one._spec.ndim)]))
    return (found, states, lengths) if return_length else (found, states)


def _all(finished: Any) -> bool:
    return bool(np.asarray(finished).all())


def _kept(mask: Any, old: Any, new: Any) -> Any:
    """Returns the old value where the mask, [batch], is true, and the new one elsewhere."""
    return _math.where(mask.reshape([-1, *[1] * (new._spec.ndim - 1)]), old, new)
