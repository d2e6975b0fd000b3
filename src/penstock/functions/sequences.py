"""Losses of sequences whose alignment is not known: connectionist temporal classification."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.errors import ArgumentError, DTypeError, ShapeError
from penstock.functions.composite import composite
from penstock.functions.control import scanned
from penstock.functions.nn import log_softmax
from penstock.ops import index, pointwise
from penstock.ops.gather import take_along_axis
from penstock.ops.guards import require_range
from penstock.ops.promotion import kind_of
from penstock.ops.shape import broadcast_to, concat, reshape, slice_, transpose
from penstock.ops.table import cast
from penstock.ops.validation import plain, shown
from penstock.trace.convert import as_tensor
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe
_LOW = -1e30
"""Represents the logarithm of 0: its differences are numbers, and its exponentials are 0."""


def _tensor(x: Any) -> Any:
    return x if isinstance(x, Tensor | Cell) else as_tensor(x)


def ctc(
    logits: Any,
    labels: Any,
    logit_lengths: Any = None,
    label_lengths: Any = None,
    blank: int = 0,
    time_major: bool = False,
) -> Tensor:
    """Returns -log of the probability of label sequences, over all their alignments: [batch].

    `logits` [batch, time, classes] are not normalised ([time, batch, classes] with `time_major`); `labels`
    [batch, length] are classes other than `blank`. An alignment has a class for each time; the label sequence
    is the result of merging repeats and then removing blanks (Graves and others, 2006).
    Only the first `logit_lengths` times and `label_lengths` labels of each example count; without them, all.

    An example whose labels do not fit into its time has the loss inf, and gradients of 0. A label outside the
    classes, or a length outside its axis, raises RangeError when the value is computed. The sum over
    alignments runs in logarithms, along time, by `ps.scan`; it has derivatives of every order.

    Args:
        logits: real numbers [batch, time, classes].
        labels: integers [batch, length].
        logit_lengths: integers [batch]: how many steps each has; None for all.
        label_lengths: integers [batch]: how long each label is; None for all.
        blank: the class that means no label, an int.
        time_major: whether the steps are the first axis.

    Returns:
        A tensor [batch].

    Raises:
        ShapeError: if `logits`, `labels`, `logit_lengths` or `label_lengths` has the wrong shape, or names an
            axis that is not there.
        DTypeError: if `logits`, `labels`, `logit_lengths` or `label_lengths` has the wrong dtype or type.
        RangeError: if an index is out of range.
        ArgumentError: if `blank` has a value that is not allowed.

    >>> import penstock as ps
    >>> logits = ps.zeros((1, 2, 3))
    >>> loss = ps.losses.ctc(logits, ps.asarray([[1]]))
    >>> round(float(ps.exp(-loss[0])), 4)
    0.3333
    """
    frame = _frame(1)
    logits, labels = _tensor(logits), _tensor(labels)
    own = logits._spec.dtype
    if len(logits.shape) != 3 or len(labels.shape) != 2:
        raise ShapeError(
            f"ctc: logits {logits._spec!r} and labels {labels._spec!r} do not fit together.",
            remedy="Give logits [batch, time, classes] and labels [batch, length].",
            site=here(),
        )
    if kind_of(logits.dtype) != "f" or kind_of(labels.dtype) != "i":
        raise DTypeError(
            f"ctc: logits {logits._spec!r} and labels {labels._spec!r}.",
            why="Logits must be floating-point, and labels integer class numbers.",
            remedy="Convert them with astype.",
            site=here(),
        )
    if time_major:
        logits = transpose.record((logits,), {"axes": (1, 0, 2)}, frame)
    batch, times, classes = logits.shape
    if labels.shape[0] != batch or times < 1:
        raise ShapeError(
            f"ctc: labels {labels.shape} do not fit logits {logits.shape}.",
            why="Each sequence of logits needs one sequence of labels and at least one time step.",
            site=here(),
        )
    blank = plain(blank)
    if isinstance(blank, bool) or not isinstance(blank, int) or not -classes <= blank < classes:
        raise ArgumentError(
            f"ctc: blank is {shown(blank)}, the logits have {classes} classes.",
            remedy=f"Give a whole number from 0 to {classes - 1}; -1 is the last.",
            site=here(),
        )
    lengths = [
        _lengths(name, given, batch, most, frame)
        for name, given, most in (
            ("logit_lengths", logit_lengths, times),
            ("label_lengths", label_lengths, labels.shape[1]),
        )
    ]
    half = logits.dtype.itemsize < 4
    if half:
        logits = cast.record((logits,), {"dtype": np.dtype(np.float32)}, frame)
    terms, skips, active = _prepared(logits, labels, lengths[0], lengths[1], blank % classes)
    alpha = _first(terms)
    if times > 1:
        # The sum over all ways to each state, one time after the other: the paper's forward variables.
        rest = _rest(terms, active)
        alpha, _ = scanned("ctc", lambda a, x: (_moved(a, skips, *x), None), alpha, rest, None, False, frame)
    loss = _ended(alpha, lengths[1])
    return cast.record((loss,), {"dtype": own}, frame) if half else loss


def _lengths(name: str, given: Any, batch: int, most: int, frame: Any) -> Any:
    if given is None:
        return as_tensor(np.full((batch,), most, np.int64))
    found = _tensor(given)
    if found.shape != (batch,) or kind_of(found.dtype) != "i":
        raise ShapeError(
            f"ctc: {name} is {found._spec!r}; the batch has {batch} examples.",
            remedy=f"Give whole numbers of shape {(batch,)}.",
            site=here(),
        )
    bounds = {"what": f"ctc: an entry of {name}", "low": 0, "high": most}
    return require_range.record((found,), bounds, frame)


@composite(4, "ctc")
def _prepared(
    logits: Any, labels: Any, logit_lengths: Any, label_lengths: Any, blank: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Returns log-probabilities [time, batch, states], which states may be skipped to, and which times count.

    The states of an example are its labels with blanks between and around them.
    """
    batch, times, classes = logits.shape
    length = labels.shape[1]
    states = 2 * length + 1
    whole = np.dtype(np.int64)

    def up_to(count: int, lengths: Any) -> Any:
        number = reshape(index.arange(start=0, step=1, length=count, dtype=whole), shape=(1, count))
        return pointwise.less(number, reshape(cast(lengths, dtype=whole), shape=(batch, 1)))

    # A place after the end of the labels is not a label, whatever its value.
    own = pointwise.where(up_to(length, label_lengths), cast(labels, dtype=whole), blank)
    own = require_range(own, what="ctc: a label", low=0, high=classes - 1)
    blanks = broadcast_to(cast(blank, dtype=whole), shape=(batch, length, 1))
    pairs = reshape(concat(blanks, reshape(own, shape=(batch, length, 1)), axis=2), shape=(batch, 2 * length))
    path = concat(pairs, broadcast_to(cast(blank, dtype=whole), shape=(batch, 1)), axis=1)
    skips: Any = broadcast_to(cast(False, dtype=np.dtype(np.bool_)), shape=(batch, min(2, states)))
    if length:
        # From one label to the next without the blank between, unless they are the same.
        before = slice_(path, window=((0, batch, 1), (0, states - 2, 1)))
        after = slice_(path, window=((0, batch, 1), (2, states, 1)))
        jumps = pointwise.logical_and(pointwise.not_equal(before, after), pointwise.not_equal(after, blank))
        skips = concat(skips, jumps, axis=1)
    places = broadcast_to(reshape(path, shape=(batch, 1, states)), shape=(batch, times, states))
    terms = transpose(take_along_axis(log_softmax(logits), places, axis=2), axes=(1, 0, 2))
    return pointwise.maximum(terms, _LOW), skips, transpose(up_to(times, logit_lengths), axes=(1, 0))


@composite(1, "ctc")
def _first(terms: Any) -> Tensor:
    """Returns the forward variables of the first time: a blank, or the first label."""
    _, batch, states = terms.shape
    start = slice_(terms, window=((0, 1, 1), (0, batch, 1), (0, states, 1)))
    number = index.arange(start=0, step=1, length=states, dtype=np.dtype(np.int64))
    allowed = reshape(pointwise.less(number, 2), shape=(1, states))
    return pointwise.where(allowed, reshape(start, shape=(batch, states)), _LOW)


@composite(2, "ctc")
def _rest(terms: Any, active: Any) -> tuple[Tensor, Tensor]:
    """Returns all but the first time."""
    return tuple(  # type: ignore[return-value]
        slice_(one, window=((1, one.shape[0], 1), *((0, n, 1) for n in one.shape[1:])))
        for one in (terms, active)
    )


@composite(4, "ctc")
def _moved(alpha: Any, skips: Any, terms: Any, active: Any) -> Tensor:
    """Returns the forward variables of the next time; an example that is over keeps its own."""
    batch, states = alpha.shape

    def late(by: int) -> Any:
        by = min(by, states)
        low = broadcast_to(cast(_LOW, dtype=alpha.dtype), shape=(batch, by))
        return concat(low, slice_(alpha, window=((0, batch, 1), (0, states - by, 1))), axis=1)

    ways = (alpha, late(1), pointwise.where(skips, late(2), _LOW))
    fresh = pointwise.maximum(_added(*ways) + terms, _LOW)
    return pointwise.where(reshape(active, shape=(batch, 1)), fresh, alpha)


@composite(2, "ctc")
def _ended(alpha: Any, label_lengths: Any) -> Tensor:
    """Returns -log of the sum over the paths that end in the last label or the blank after it."""
    batch = alpha.shape[0]
    last = reshape(cast(label_lengths, dtype=np.dtype(np.int64)) * 2, shape=(batch, 1))
    blank = take_along_axis(alpha, last, axis=1)
    label = take_along_axis(alpha, pointwise.maximum(last - 1, 0), axis=1)
    total = reshape(_added(blank, pointwise.where(pointwise.greater(last, 0), label, _LOW)), shape=(batch,))
    return pointwise.where(pointwise.less(total, 0.5 * _LOW), np.inf, -total)


def _added(*logarithms: Any) -> Any:
    """Returns log(exp(a) + exp(b) + ...) for finite numbers."""
    largest: Any = logarithms[0]
    for one in logarithms[1:]:
        largest = pointwise.maximum(largest, one)
    largest = pointwise.stop_gradient(largest)
    total: Any = 0.0
    for one in logarithms:
        total = pointwise.exp(one - largest) + total
    return pointwise.log(total) + largest


__all__ = ["ctc"]
