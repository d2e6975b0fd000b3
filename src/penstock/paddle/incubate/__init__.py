"""`paddle.incubate`: functions of graphs, fused functions, derivatives of functions."""

from __future__ import annotations

from typing import Any

from penstock.paddle._names import absent
from penstock.paddle._tensor import saving
from penstock.paddle.geometric import segment_max, segment_mean, segment_min, segment_sum, send_u_recv
from penstock.paddle.incubate import autograd, nn, optimizer
from penstock.paddle.incubate._model_average import ModelAverage
from penstock.paddle.incubate.nn.functional import softmax_mask_fuse, softmax_mask_fuse_upper_triangle
from penstock.paddle.incubate.optimizer import LookAhead
from penstock.trace.source_site import user_frame


def graph_send_recv(
    x: Any, src_index: Any, dst_index: Any, pool_type: str = "sum", out_size: Any = None, name: Any = None
) -> Any:
    """Returns the messages of each node's edges: `paddle.geometric.send_u_recv`."""
    return send_u_recv(x, src_index, dst_index, pool_type.lower(), out_size)


def identity_loss(x: Any, reduction: str | int = "none") -> Any:
    """Returns x as it is ("none", 2), its sum ("sum", 0) or its mean ("mean", 1)."""
    words: dict[Any, Any] = {0: "sum", 1: "mean", 2: "none"}
    word = words.get(reduction, reduction)
    found = x.sum() if word == "sum" else x.mean() if word == "mean" else x.clone()
    return saving(found, user_frame(1), x)


__all__ = [
    "LookAhead", "ModelAverage", "autograd", "graph_send_recv", "identity_loss", "nn", "optimizer",
    "segment_max", "segment_mean", "segment_min", "segment_sum", "softmax_mask_fuse",
    "softmax_mask_fuse_upper_triangle",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    raise absent("paddle.incubate", name, __all__)
