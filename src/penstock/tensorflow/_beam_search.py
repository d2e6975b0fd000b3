"""Labels of sparse rows for connectionist temporal classification, and the search for the likeliest rows."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import losses
from penstock.tensorflow import _arrays
from penstock.tensorflow._convert import constant, integers, operand, tensor_of
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow.sparse import SparseTensor
from penstock.trace.source_site import here

_NEVER = -math.inf


def sparse_loss(
    labels: SparseTensor, logits: Any, logit_length: Any, time_major: bool, blank: int,
    collapsed: bool = False, longer: bool = False,
) -> Any:  # fmt: skip
    """Returns -log of the probability of the rows of a sparse tensor, over all alignments.

    `collapsed` merges equal labels in a row first. A row with more labels than steps is refused, unless
    `longer` is set: then its loss is 0, as it is without any steps.
    """
    logits = operand(logits)
    major = logits if time_major else _arrays.transpose(logits, [1, 0, 2])
    times, batch, _ = (int(n) for n in major.shape)
    lengths = np.asarray(integers(logit_length, "T", "int32, int64").numpy())
    rows: list[list[int]] = [[] for _ in range(batch)]
    for place, label in zip(np.asarray(labels.indices.numpy()), labels.values.numpy(), strict=True):
        row = rows[int(place[0])]
        if not (collapsed and row and row[-1] == label):
            row.append(int(label))
    for number, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        if not row:
            raise InvalidArgumentError(f"Labels length is zero in batch {number}", site=here())
        if len(row) > length > 0 and not longer:
            raise InvalidArgumentError(
                "Not enough time for target transition sequence "
                f"(required: {len(row)}, available: {int(length)})",
                remedy="ignore_longer_outputs_than_inputs=True ignores such rows.",
                site=here(),
            )
    most = max(1, *map(len, rows))
    dense = np.array([row + [0] * (most - len(row)) for row in rows], np.int64)
    counts = np.array([len(row) for row in rows], np.int64)
    held = np.minimum(lengths, times)
    found = losses.ctc(major, constant(dense), constant(held), constant(counts), blank=blank, time_major=True)
    counted = (held > 0) & (counts <= held)
    return found if counted.all() else _arrays.where(counted, found, _arrays.zeros_like(found))


class _Beam:
    """A row of labels, and the logarithms of its probabilities at a step and at the one before it."""

    __slots__ = ("blank", "children", "label", "labelled", "old_blank", "old_total", "parent", "total")

    def __init__(self, parent: _Beam | None, label: int) -> None:
        self.parent, self.label = parent, label
        self.children: dict[int, _Beam] = {}
        self.total = self.blank = self.labelled = self.old_total = self.old_blank = _NEVER

    def forget(self) -> None:
        """Takes it out of the search."""
        self.total = self.blank = self.labelled = _NEVER

    def row(self, merged: bool) -> list[int]:
        """Returns its labels; `merged` leaves out those that follow an equal one."""
        found: list[int] = []
        one, before = self, -1
        while one.parent is not None:
            if not (merged and one.label == before):
                found.append(one.label)
            before, one = one.label, one.parent
        return found[::-1]


class _Best:
    """Beams in the order of their probabilities, the least probable first; at most some number of them."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.keys: list[float] = []
        self.beams: list[_Beam] = []

    def takes(self, total: float) -> bool:
        """Returns whether a beam of this probability is among the best."""
        return total > _NEVER and (len(self.beams) < self.width or total > self.keys[0])

    def add(self, beam: _Beam) -> None:
        """Adds a beam, in place of the least probable one where there are enough."""
        place = bisect_left(self.keys, beam.total)
        self.keys.insert(place, beam.total)
        self.beams.insert(place, beam)
        if len(self.beams) > self.width:
            del self.keys[0], self.beams[0]


def _sum(a: float, b: float) -> float:
    """Returns log(exp(a) + exp(b))."""
    if a < b:
        a, b = b, a
    return a if b == _NEVER else a + math.log1p(math.exp(b - a))


def _step(best: _Best, logs: np.ndarray[Any, Any]) -> _Best:
    """Returns the best beams after one more step, with the logarithms of its probabilities."""
    blank = len(logs) - 1
    beams = best.beams[::-1]
    for one in beams:
        one.old_total, one.old_blank = one.total, one.blank
    found = _Best(best.width)
    for one in beams:
        parent = one.parent
        if parent is not None:
            if parent.total > _NEVER:
                before = parent.old_blank if one.label == parent.label else parent.old_total
                one.labelled = _sum(one.labelled, before)
            one.labelled += float(logs[one.label])
        one.blank = one.old_total + float(logs[blank])
        one.total = _sum(one.blank, one.labelled)
        found.add(one)
    for one in beams:
        if not found.takes(one.old_total):
            continue
        totals = logs[:blank] + one.old_total
        if one.label >= 0:
            totals[one.label] = logs[one.label] + one.old_blank
        hopeful = totals > (found.keys[0] if len(found.beams) == found.width else _NEVER)
        for label in np.flatnonzero(hopeful).tolist():
            child = one.children.get(label)
            if child is None:
                child = one.children[label] = _Beam(one, label)
            total = float(totals[label])
            if child.total > _NEVER or not found.takes(total):
                continue
            child.blank, child.labelled = _NEVER, total
            child.total = total
            if len(found.beams) == found.width:
                found.beams[0].forget()
            found.add(child)
    return found


def decoded(logits: Any, lengths: Any, width: int, paths: int, merged: bool) -> tuple[list[Any], Any]:
    """Returns the likeliest rows of labels as sparse tensors, and the logarithms of their probabilities.

    The blank is the last class (Graves and Jaitly, 2014).
    """
    values = np.asarray(tensor_of(logits).numpy(), np.float64)
    if values.ndim != 3:
        raise InvalidArgumentError("inputs is not a 3-Tensor", site=here())
    if paths > width:
        raise InvalidArgumentError("requested more paths than the beam width.", site=here())
    highest = values.max(-1, keepdims=True)
    logs = values - highest - np.log(np.exp(values - highest).sum(-1, keepdims=True))
    counts = np.asarray(tensor_of(lengths).numpy())
    rows: list[list[list[int]]] = [[] for _ in range(paths)]
    scores = np.zeros((values.shape[1], paths), np.float32)
    for number, count in enumerate(counts.tolist()):
        root = _Beam(None, -1)
        root.total = root.blank = 0.0
        best = _Best(width)
        best.add(root)
        for step in range(count):
            best = _step(best, logs[step, number])
        if len(best.beams) < paths:
            raise InvalidArgumentError("Less leaves in the beam search than requested.", site=here())
        for path, one in enumerate(best.beams[::-1][:paths]):
            rows[path].append(one.row(merged))
            scores[number, path] = one.total
    dtype = operand(logits)._spec.dtype
    return [_sparse(one) for one in rows], constant(scores.astype(dtype))


def _sparse(rows: list[list[int]]) -> SparseTensor:
    at = [(row, n) for row, kept in enumerate(rows) for n in range(len(kept))]
    values = np.array([one for kept in rows for one in kept], np.int64)
    shape = np.array([len(rows), max(map(len, rows), default=0)], np.int64)
    return SparseTensor(constant(np.array(at, np.int64).reshape(-1, 2)), constant(values), constant(shape))


@named("tf.nn.ctc_beam_search_decoder")
def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[Any], Any]:
    """Returns the likeliest rows of labels, `top_paths` sparse tensors, and the logs of their probabilities.

    `inputs` are logits [steps, batch, labels]; the blank is the last label.

    >>> from penstock import tensorflow as tf
    >>> logits = tf.constant([[[0.0, 2.0, 1.0]], [[0.0, 2.0, 1.0]]])
    >>> rows, scores = tf.nn.ctc_beam_search_decoder(logits, [2])
    >>> tf.sparse.to_dense(rows[0]).numpy().tolist()
    [[1]]
    """
    return decoded(inputs, sequence_length, int(beam_width), int(top_paths), False)


def blank_of(blank_index: int | None) -> int:
    """Returns the blank, which sparse labels need to be told."""
    if blank_index is None:
        raise ArgumentError(
            "Argument `blank_index` must be provided when `labels` is a `SparseTensor`.",
            remedy="blank_index=-1 is the last class.",
            site=here(),
        )
    return int(blank_index)


__all__ = ["blank_of", "ctc_beam_search_decoder", "decoded", "sparse_loss"]
