"""Losses over many classes: trees of classes, clusters of rare ones, samples of them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from penstock.paddle import _manipulation, _math, _scattering
from penstock.paddle._convert import data, operand
from penstock.paddle._declaring import in_functional, in_nn
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._tensor import saving
from penstock.paddle.nn import functional as F
from penstock.paddle.nn._function_layers import layer_of_several
from penstock.paddle.nn._layer import Standard as Layer
from penstock.paddle.nn._reductions import reduced
from penstock.trace.source_site import here, user_frame


def _paths(labels: np.ndarray[Any, Any], count: int) -> tuple[Any, Any]:
    """Returns the inner nodes and turns on the way to each label in a binary tree of classes; -1 after it.

    Node 1 is the root, node n has the children 2 n and 2 n + 1, and class c is node c + count.
    """
    nodes = labels.reshape(-1) + count
    longest = (2 * count - 1).bit_length() - 1
    bits = np.arange(longest)
    lengths = np.floor(np.log2(nodes)).astype(np.int64)
    there = bits < lengths[:, None]
    table = np.where(there, (nodes[:, None] >> (bits + 1)) - 1, -1)
    return table, np.where(there, nodes[:, None] >> bits & 1, -1)


@in_functional
def hsigmoid_loss(
    input: Any, label: Any, num_classes: int, weight: Any, bias: Any = None, path_table: Any = None,
    path_code: Any = None, is_sparse: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the sum of binary cross-entropies on the way to the label in a tree of classes: [N, 1].

    `path_table` and `path_code` say the nodes and turns of another tree, -1 after the last. The labels are
    looked at. Gradients are rows without a wish, so `is_sparse` does nothing.
    """
    if num_classes < 2:
        raise InvalidValueError(f"Expected num_classes >= 2 (got {num_classes})", site=here())
    input, weight = operand(input), operand(weight)
    if path_table is None:
        table, turns = _paths(np.asarray(operand(label)), int(num_classes))
    else:
        table, turns = np.asarray(operand(path_table)), np.asarray(operand(path_code))
    there, places = table >= 0, data(np.maximum(table, 0).reshape(-1))
    rows = _manipulation.gather(weight, places).reshape([*table.shape, weight._spec.shape[-1]])
    scores = _math.sum(rows * input.unsqueeze(1), -1)
    if bias is not None:
        scores = scores + _manipulation.gather(operand(bias).reshape([-1]), places).reshape([*table.shape])
    kind = input._spec.dtype.name
    used = _math.cast(data(there), kind)
    scores = _math.clip(scores * used, -40.0, 40.0)
    # Paddle adds log 2 for each node missing from a shorter path; no gradient passes through it.
    taken = _math.cast(data(np.where(there, turns, 0)), kind)
    found = _math.sum(F.softplus(scores) - taken * scores, -1, keepdim=True)
    return saving(found, user_frame(1), weight, *([] if bias is None else [operand(bias)]))


@in_nn
class HSigmoidLoss(Layer):
    """The function `hsigmoid_loss` as a layer, with a weight and a bias for each inner node.

    Gradients are rows without a wish, so `is_sparse` does nothing.
    """

    def __init__(
        self, feature_size: int, num_classes: int, weight_attr: Any = None, bias_attr: Any = None,
        is_custom: bool = False, is_sparse: bool = False, name: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if num_classes < 2 and not is_custom:
            raise ValueError(
                "num_classes must not be less than 2 with default tree when path_table/path_code is None."
            )
        self._num_classes, self._is_custom = num_classes, is_custom
        nodes = num_classes if is_custom else num_classes - 1
        self.weight = self.create_parameter([nodes, feature_size], weight_attr)
        self.bias = self.create_parameter([nodes, 1], bias_attr, is_bias=True)

    def forward(self, input: Any, label: Any, path_table: Any = None, path_code: Any = None) -> Any:
        """Returns the loss of each row."""
        if self._is_custom and (path_table is None or path_code is None):
            raise ValueError("path_table and path_code should not be None when is_custom is True")
        given = (input, label, self._num_classes, self.weight, self.bias)
        return hsigmoid_loss(*given, path_table, path_code)


@in_functional
def adaptive_log_softmax_with_loss(
    input: Any, label: Any, head_weight: Any, tail_weights: Any, cutoffs: Any, head_bias: Any = None,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns the log-probability of each label, whose rare classes lie in clusters, and their mean loss.

    Labels are looked at: only those of a cluster go through its weights (Grave et al., 2017).
    """
    input, label = operand(input), operand(label)
    single = label._spec.ndim == 0
    if label._spec.ndim > 1 or input._spec.ndim != label._spec.ndim + 1:
        raise InvalidValueError(
            "0D or 1D label tensor expected, with an input of one axis more, but got shapes "
            f"{list(label._spec.shape)} and {list(input._spec.shape)}.",
            site=here(),
        )
    if single:
        input, label = input.unsqueeze(0), label.unsqueeze(0)
    known = np.asarray(label)
    bounds = [0, *(int(one) for one in cutoffs)]
    if ((known < 0) | (known >= bounds[-1])).any():
        raise InvalidValueError(
            f"label values should be in [0, n_classes - 1], but values in range [{known.min()}, "
            f"{known.max()}] were found.",
            site=here(),
        )
    first = bounds[1]
    places = np.where(known < first, known, 0)
    found = None
    for cluster, (low, high) in enumerate(itertools.pairwise(bounds[1:])):
        rows = np.flatnonzero((known >= low) & (known < high))
        places[rows] = first + cluster
        if not rows.size:
            continue
        inside, outside = tail_weights[cluster]
        scores = F.linear(F.linear(_manipulation.gather(input, data(rows)), inside), outside)
        own = _manipulation.take_along_axis(
            F.log_softmax(scores, -1), data((known[rows] - low)[:, None].astype(np.int64)), 1
        )
        laid = _scattering.scatter_nd(data(rows[:, None]), own.squeeze(1), [known.size])
        found = laid if found is None else found + laid
    head = F.log_softmax(F.linear(input, head_weight, head_bias), -1)
    chosen = _manipulation.take_along_axis(head, data(places[:, None].astype(np.int64)), 1).squeeze(1)
    output = chosen if found is None else chosen + found
    loss = _math.mean(-output)
    return (output.squeeze(0) if single else output), loss


@in_nn
class AdaptiveLogSoftmaxWithLoss(Layer):
    """A softmax over frequent classes and clusters of rare ones with fewer weights (Grave et al., 2017).

    As in Paddle, `parameters()` does not list the weights of the clusters: give `tail_weights` to the
    optimizer too. `weight_attr` is of all weights, `bias_attr` of the bias that `head_bias` asks for.
    """

    def __init__(
        self, in_features: int, n_classes: int, cutoffs: Any, weight_attr: Any = None, bias_attr: Any = None,
        div_value: float = 4.0, head_bias: bool = False, name: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        bounds = list(cutoffs)
        if bounds != sorted(set(bounds)) or min(bounds) <= 0 or max(bounds) > n_classes - 1:
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, "
                "where each value is between 1 and n_classes-1"
            )
        self.in_features, self.n_classes, self.div_value = in_features, n_classes, div_value
        self.cutoffs, self.is_head_bias = [*bounds, n_classes], head_bias
        self.shortlist_size, self.n_clusters = bounds[0], len(bounds)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head_weight = self.create_parameter([in_features, self.head_size], weight_attr)
        self.head_bias = (
            self.create_parameter([self.head_size], bias_attr, is_bias=True) if head_bias else None
        )
        self.tail_weights: list[list[Any]] = []
        for i, (low, high) in enumerate(itertools.pairwise(self.cutoffs)):
            width = int(in_features // div_value ** (i + 1))
            pair = [
                self.create_parameter([in_features, width], weight_attr),
                self.create_parameter([width, high - low], weight_attr),
            ]
            self.tail_weights.append(pair)

    def forward(self, input: Any, label: Any) -> Any:
        """Returns the log-probabilities of the labels, and their mean loss."""
        given = (input, label, self.head_weight, self.tail_weights, self.cutoffs)
        return adaptive_log_softmax_with_loss(*given, self.head_bias)

    def log_prob(self, input: Any) -> Any:
        """Returns the log-probabilities of all classes."""
        head = F.log_softmax(F.linear(input, self.head_weight, self.head_bias), -1)
        parts = [head[:, : self.shortlist_size]]
        for i, (inside, outside) in enumerate(self.tail_weights):
            tail = F.log_softmax(F.linear(F.linear(input, inside), outside), -1)
            parts.append(tail + head[:, self.shortlist_size + i].unsqueeze(1))
        return _manipulation.concat(parts, axis=1)

    def predict(self, input: Any) -> Any:
        """Returns the most probable class of each row: as floats, unless all of them are rare classes."""
        found = _math.argmax(self.log_prob(input), 1)
        frequent = _math.argmax(F.linear(input, self.head_weight, self.head_bias), 1) < self.shortlist_size
        return found.astype("float32") if frequent.any() else found


@in_functional
def multi_label_margin_loss(input: Any, label: Any, reduction: str = "mean", name: Any = None) -> Any:
    """Returns by how much other classes come closer than 1 to those of the labels: [N, C], -1 after the last.

    Labels are looked at.
    """
    if reduction not in ("mean", "sum", "none"):
        raise InvalidValueError(
            "'reduction' in 'multi_label_margin_loss' should be 'sum', 'mean' or 'none', but received "
            f"{reduction}.",
            site=here(),
        )
    input, known = operand(input), np.asarray(operand(label))
    if input._spec.ndim != 2 or known.ndim != 2:
        wrong = "input" if input._spec.ndim != 2 else "label"
        raise InvalidValueError(
            f"Expected 2D {wrong} tensor, but got {input._spec.ndim if wrong == 'input' else known.ndim}D",
            site=here(),
        )
    count = input._spec.shape[1]
    if known.size and (known.min() < -1 or known.max() >= count):
        bound = "label values should be >= -1" if known.min() < -1 else f"label values should be < {count}"
        raise InvalidValueError(bound, site=here())
    there = np.cumprod(known != -1, 1).astype(bool)
    rows, places = np.nonzero(there)[0], known[there]
    other = np.ones((len(known), count))
    other[rows, places] = 0.0
    kind = input._spec.dtype
    own = _manipulation.gather_nd(input, data(np.stack([rows, places], 1).astype(np.int64))).unsqueeze(1)
    near = _math.clip(1.0 - own + _manipulation.gather(input, data(rows.astype(np.int64))), 0.0)
    sums = _math.sum(near * data(other[rows].astype(kind)), 1)
    found = _scattering.scatter_nd(data(rows[:, None].astype(np.int64)), sums, [len(known)]) / float(count)
    return reduced(found, reduction)


MultiLabelMarginLoss = layer_of_several("MultiLabelMarginLoss", multi_label_margin_loss, "reduction")


@in_functional
def class_center_sample(label: Any, num_classes: int, num_samples: int, group: Any = None) -> Any:
    """Returns renumbered labels and the classes: those of the labels, and others drawn to fill up.

    There is one process, so `group` does nothing. The draws are Penstock's own.
    """
    if num_samples > num_classes:
        raise InvalidValueError(
            f"Expected num_samples less than or equal to {num_classes}, got num_samples {num_samples}",
            site=here(),
        )
    from penstock.paddle._creation import randperm

    known = np.asarray(operand(label)).reshape(-1)
    own = np.unique(known)
    if own.size < num_samples:
        others = np.asarray(randperm(int(num_classes)))
        more = others[~np.isin(others, own)][: num_samples - own.size]
        sampled = np.concatenate([own, np.sort(more)])
    else:
        sampled = own
    return data(np.searchsorted(own, known).astype(known.dtype)), data(sampled.astype(known.dtype))
