"""The loss of a transducer: all ways in which a network can emit a sequence while it reads another."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.paddle import _cumulative, _manipulation
from penstock.paddle._convert import data, operand
from penstock.paddle._declaring import in_functional
from penstock.paddle._errors import InvalidValueError
from penstock.paddle.nn._function_layers import layer_of_several
from penstock.paddle.nn._reductions import reduced
from penstock.trace.source_site import here


@in_functional
def rnnt_loss(
    input: Any, label: Any, input_lengths: Any, label_lengths: Any, blank: int = 0,
    fastemit_lambda: float = 0.001, reduction: str = "mean", name: Any = None,
) -> Any:  # fmt: skip
    """Returns -log of the probability of label sequences under a transducer (Graves, 2012).

    `input` holds log-probabilities [batch, time, labels + 1, classes]; labels and lengths are looked at. With
    `fastemit_lambda` the gradients of emitting labels, not the loss, are that much larger (Yu et al., 2021).
    """
    if reduction not in ("mean", "sum", "none"):
        raise InvalidValueError(f"rnnt_loss: the reduction is {reduction!r}.", site=here())
    x, labels = operand(input), np.asarray(operand(label)).astype(np.int64)
    if x._spec.ndim != 4 or labels.shape != (x._spec.shape[0], x._spec.shape[2] - 1):
        raise InvalidValueError(
            "rnnt_loss takes an input [batch, time, labels + 1, classes] and labels [batch, labels], but got "
            f"{list(x._spec.shape)} and {list(labels.shape)}.",
            site=here(),
        )
    batch, times, places, _ = x._spec.shape
    pauses = x[:, :, :, int(blank)]
    chosen = data(np.broadcast_to(labels[:, None, :, None], (batch, times, places - 1, 1)).copy())
    emitted = _manipulation.take_along_axis(x[:, :, : places - 1], chosen, 3).squeeze(3)
    if fastemit_lambda:
        more = emitted * float(fastemit_lambda)
        emitted = emitted + more - more.detach()
    start = data(np.zeros((batch, times, 1), x._spec.dtype))
    # How likely it is to emit all labels up to a place at one time; the rest is a running sum.
    ahead = _cumulative.cumsum(_manipulation.concat([start, emitted], 2), 2)
    first = np.full((batch, places), -1e30, x._spec.dtype)
    first[:, 0] = 0.0
    row, rows = data(first), []
    for time in range(times):
        if time:
            row = row + pauses[:, time - 1]
        row = ahead[:, time] + _cumulative.logcumsumexp(row - ahead[:, time], 1)
        rows.append(row)
    ends = _manipulation.stack(rows, 1) + pauses
    last = np.stack(
        [
            np.arange(batch), np.asarray(operand(input_lengths)).reshape(-1) - 1,
            np.asarray(operand(label_lengths)).reshape(-1),
        ],
        1,
    ).astype(np.int64)  # fmt: skip
    return reduced(-_manipulation.gather_nd(ends, data(last)), reduction)


RNNTLoss = layer_of_several("RNNTLoss", rnnt_loss, "blank fastemit_lambda reduction")
__all__ = ["RNNTLoss", "rnnt_loss"]
