"""Which values Paddle saves for a gradient: they may not be written in place before `backward`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from penstock.trace.leaf import Constant, NumberArgument
from penstock.trace.tree import Call

_OPERANDS = """
abs acosh addmm angle asinh atan atan2 atanh _attention batch_normalization _binary_terms celu clip complex
conv conv_transpose copysign cos cosh cosine_embedding cross cummax cummin cumsum _running_sum
cumulative_sum deform_conv2d digamma erf fmax gammainc gammaincc gammaln gelu grid_sample hardshrink
hardswish hardtanh heaviside i0 inner instance_norm integer_power kl_div kron _layer_norm leaky_relu lgamma
log log10 log1p log2 logaddexp logit log_sigmoid _masked_attention matmul maximum max_pool minimum moments
multiply pinv poisson_nll polygamma power prelu remainder sigmoid_cross_entropy sigmoid_focal sin sinh
_soft_terms softplus softshrink softsign square swish tan tanhshrink tensordot thresholded_relu
"""
_RESULTS = """
adaptive_avg_pool cholesky eig eigh erfinv exp expm1 hardsigmoid inverse log_softmax logistic nanmean
put_along_axis quantile reciprocal relu relu6 rsqrt selu softmax sqrt std tanh _variance
"""
_BOTH = """
cumprod det divide elu group_norm hypot i0e i1 i1e lerp logcumsumexp logsumexp matrix_exp matrix_power max
maxout median min norm pool prod qr segment_reduce silu slogdet solve svd triangular_solve vector_norm
"""
SAVED: dict[str, tuple[bool, bool]] = {
    **dict.fromkeys(_OPERANDS.split(), (True, False)),
    **dict.fromkeys(_RESULTS.split(), (False, True)),
    **dict.fromkeys(_BOTH.split(), (True, True)),
}
"""The functions whose gradient needs their operands, or their result, as they were: Paddle saves those."""
_SHIFTS = frozenset(["add", "reshape"])
ASIDE: dict[str, frozenset[str]] = {
    "conv": _SHIFTS | {"transpose"},
    "conv_transpose": _SHIFTS,
    "_layer_norm": _SHIFTS,
    "instance_norm": _SHIFTS,
    "_attention": frozenset(["multiply"]),
    "_masked_attention": frozenset(["add", "broadcast_to", "cast", "multiply", "reshape"]),
    "kl_div": frozenset(["reshape", "subtract"]),
    "poisson_nll": frozenset(["add", "subtract"]),
}
"""The operations within some of them whose operands no gradient needs: a bias is only added."""
ALONE: dict[str, frozenset[str]] = {"_soft_terms": frozenset(["multiply"])}
"""The operations within some of them whose operands alone a gradient needs."""


def saved_by(call: Call, calls: Sequence[Call], views: Sequence[Any]) -> Iterator[int]:
    """Yields the slots of the values that the gradient of a call needs; `views` are functions of views."""
    name, inner = call.within or call.primitive.name, call.primitive.name
    operands, result = SAVED.get(name, (False, False))
    if inner in ("multiply", "divide") and call.within is None:
        numbers = [isinstance(calls[one].primitive, Constant | NumberArgument) for one in call.inputs]
        if any(numbers) and not numbers[0]:
            return
        operands = operands and not (any(numbers) and inner == "multiply")
    if call.within is not None and (inner in ASIDE.get(name, ()) or inner not in ALONE.get(name, (inner,))):
        operands = False
    if operands:
        for i, one in enumerate(call.inputs):
            yield one
            while call.within and calls[one].within == call.within and calls[one].primitive in views:
                # What a function rearranges is still its operand; but conv1d makes a copy of its filter.
                before = calls[one].inputs[0]
                if name == "conv" and i and calls[before].spec.ndim == 3:
                    break
                one = before
                yield one
    if result:
        yield call.slot


__all__ = ["SAVED", "saved_by"]
