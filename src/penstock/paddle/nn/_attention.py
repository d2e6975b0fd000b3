"""Attention, and masks of sequences of unequal length."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.functions import array as native
from penstock.functions import attention as native_attention
from penstock.functions import nn as native_nn
from penstock.functions.composite import composite
from penstock.paddle._convert import operand
from penstock.paddle._declaring import in_functional
from penstock.paddle._dtype import numpy_dtype
from penstock.paddle._errors import NotThereError
from penstock.paddle.nn._dropout import dropout
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


@in_functional
def scaled_dot_product_attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
    training: bool = True, backend: Any = None, scale: Any = None, enable_gqa: bool = True, name: Any = None,
) -> Any:  # fmt: skip
    """Returns softmax(query @ key^T / sqrt(d)) @ value, of [batch, length, heads, d] or [length, heads, d].

    There is one way to compute it: `backend` does nothing.
    """
    if operand(query)._spec.ndim == 3:
        query, key, value = (operand(one).unsqueeze(0) for one in (query, key, value))
        return scaled_dot_product_attention(
            query, key, value, attn_mask, dropout_p, is_causal, training, backend, scale, enable_gqa, name
        ).squeeze(0)
    turned = [native.permute_dims(operand(one), (0, 2, 1, 3)) for one in (query, key, value)]
    heads, fewer = turned[0]._spec.shape[1], turned[1]._spec.shape[1]
    if enable_gqa and heads != fewer and fewer and heads % fewer == 0:
        turned[1:] = [native.repeat(one, heads // fewer, axis=1) for one in turned[1:]]
    mask = None if attn_mask is None else operand(attn_mask)
    scale = None if scale is None else float(scale)
    if dropout_p and training:
        found = _dropped(turned, mask, bool(is_causal), scale, float(dropout_p))
    else:
        found = native_attention.attention(*turned, mask=mask, causal=bool(is_causal), scale=scale)
    return native.permute_dims(found, (0, 2, 1, 3))


def _dropped(turned: Any, mask: Any, causal: bool, scale: float | None, rate: float) -> Any:
    """Returns attention [batch, heads, length, d] of whose weights a share is set to 0."""
    query, key, value = turned
    length, depth = query._spec.shape[-2:]
    scores = native.matmul(query * (depth**-0.5 if scale is None else scale), native.matrix_transpose(key))
    seen = None if mask is None or mask._spec.dtype != np.bool_ else mask
    if mask is not None and seen is None:
        scores = scores + mask
    if causal:
        before = native.tril(native.ones((length, key._spec.shape[-2]), dtype=np.bool_))
        seen = before if seen is None else native.logical_and(seen, before)
    if seen is not None:
        scores = native.where(seen, scores, -math.inf)
    return native.matmul(dropout(native_nn.softmax(scores), rate), value)


@in_functional
def sequence_mask(x: Any, maxlen: Any = None, dtype: Any = "int64", name: Any = None) -> Any:
    """Returns, for each length, that many ones, then zeros up to `maxlen`, the longest if it is None."""
    lengths = operand(x)
    if maxlen is None:
        known = np.asarray(lengths.numpy())
        maxlen = int(known.max()) if known.size else 0
    return _mask(lengths, int(maxlen), numpy_dtype(dtype))


@composite(1, "sequence_mask")
def _mask(lengths: Any, longest: int, dtype: Any) -> Tensor:
    places = native.arange(longest, dtype=lengths.dtype)
    return (places < native.expand_dims(lengths, axis=-1)).astype(dtype)


def flash_attention(
    query: Any, key: Any, value: Any, dropout: float = 0.0, causal: bool = False,
    return_softmax: bool = False, *, fixed_seed_offset: Any = None, rng_name: str = "",
    training: bool = True, name: Any = None, softmax_scale: float | None = None,
) -> tuple[Any, None]:  # fmt: skip
    """Returns `scaled_dot_product_attention`, and None where Paddle has the shares on a GPU.

    There is one source of random numbers: `rng_name` does nothing.
    """
    if return_softmax or fixed_seed_offset is not None:
        wanted = "return_softmax" if return_softmax else "fixed_seed_offset"
        raise NotThereError(
            f"flash_attention: {wanted} is not in penstock.paddle, as it is not on processors in Paddle.",
            remedy=f"Omit {wanted}.",
            site=here(),
        )
    found = scaled_dot_product_attention(
        query, key, value, None, dropout, causal, training, scale=softmax_scale
    )
    return found, None
