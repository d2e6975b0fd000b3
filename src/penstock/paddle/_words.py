"""The words that Paddle's functions take besides their own arguments: other names for them, and `out`.

Paddle 3.3 takes the words of other frameworks by name: `paddle.add(input=a, other=b, out=c)`. Which function
takes which is no rule, so it is a table, after the signatures and the decorators of Paddle itself. A function
is given its words where it is declared (`_declaring`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

_frame = sys._getframe

_OTHER_WORDS: dict[str, str] = {
    "input=x": """
        abs acos acosh adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d asin atanh ceil clamp
        clip conv1d conv2d conv3d cos cosh cumprod dropout embedding empty_like exp expm1 floor frac
        full_like gather interpolate is_complex is_floating_point isfinite isinf isnan log log10 log1p log2
        log_sigmoid logical_not logsigmoid masked_select multinomial nonzero one_hot ones_like pad
        rand_like randn_like reshape round rsqrt sigmoid sign silu sin sinh sqrt tanh trace
        transpose tril triu view_as_complex view_as_real zeros_like
    """,
    "input=x other=y": """
        add bitwise_or div divide true_divide eq equal expand_as floor_divide floor_mod gcd ge greater
        greater_equal greater_than gt isclose lcm le less less_equal less_than logical_and logical_or
        logical_xor lt matmul maximum minimum mod mul multiply ne not_equal remainder sub subtract where
    """,
    "dim=axis input=x": """
        all amax amin any argsort chunk cumsum diff fft glu hfft ifft ihfft index_select irfft logsumexp
        mean narrow prod quantile repeat_interleave rfft softmax squeeze sum topk unbind
        unique_consecutive unsqueeze var
    """,
    "dim=axes input=x": """
        fft2 fftn fftshift hfft2 hfftn ifft2 ifftn ifftshift ihfft2 ihfftn irfft2 irfftn rfft2 rfftn
    """,
    "size=shape": "full normal rand randn zeros",
    "dim=axis tensors=x": "cat concat concatenate stack",
    "input=x return_indices=return_mask": "adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d",
    "dim=axis": "cosine_similarity cross",
    "dim=axis input=arr": "take_along_axis take_along_dim",
    "dim=axis input=x keepdims=keepdim": "argmax argmin",
    "eps=epsilon input=x": "group_norm layer_norm",
    "input=x lambd=threshold": "hardshrink softshrink",
    "input=x mat2=y": "bmm mm",
    "input=x size=shape": "broadcast_to expand",
    "input=x tensor=y": "dot",
    "input=x vec2=y": "ger outer",
    "A=x B=y": "solve",
    "A=x dim=axis input=x ord=p": "norm",
    "boundaries=sorted_sequence input=x": "bucketize",
    "device=place": "to_tensor",
    "dilation=dilations input=x kernel_size=kernel_sizes output_size=output_sizes padding=paddings "
    "stride=strides": "fold",
    "dim1=axis1 dim2=axis2 input=x": "diagonal",
    "dim=axis eps=epsilon input=x": "normalize",
    "dim=axis indices=num_or_indices indices_or_sections=num_or_indices input=x": "tensor_split",
    "dim=axis input=x sizes=shape": "unflatten",
    "dim=axis ord=p": "vector_norm",
    "dim=axis input=x source=value": "index_add",
    "dimension=axis": "unfold",
    "dims=axis input=x": "roll",
    "dims=repeat_times input=x": "tile",
    "dim0=axis0 dim1=axis1 input=x": "swapaxes swapdims",
    "dtype=shape_or_dtype size=shape_or_dtype": "view",
    "elements=x test_elements=test_x": "isin",
    "end=stop steps=num": "linspace",
    "end_dim=stop_axis input=x start_dim=start_axis": "flatten",
    "eps=epsilon x1=x x2=y": "pairwise_distance",
    "exponent=y input=x": "pow",
    "from=min to=max": "uniform_",
    "input=values": "searchsorted",
    "input=x values=value": "index_put",
    "lambd=lam": "exponential_",
    "m=num_columns n=num_rows": "eye",
    "target=label": "cross_entropy",
    "type=dtype": "finfo",
}
"""By another word and the argument that it names: the functions that take it."""
_OUT = """
    abs acos acosh add all amax amin any atanh bmm bucketize cat ceil clamp clip complex concat
    concatenate cos cosh cumprod diff div divide dot eq equal exp expm1 fft fft2 fftfreq fftn floor
    floor_divide floor_mod frac gather ge ger greater greater_equal greater_than gt hfft hfft2 hfftn
    ifft ifft2 ifftn ihfft ihfft2 ihfftn index_add index_select irfft irfft2 irfftn le less
    less_equal less_than log log10 log1p log2 logical_and logical_not logical_or logical_xor
    logsumexp lt masked_select matmul maximum median minimum mod mul multinomial multiply ne nonzero
    norm normal normalize not_equal outer polar pow quantile range remainder rfft rfft2 rfftfreq
    rfftn round rsqrt scatter searchsorted sigmoid sign sin sinh softmax solve sqrt stack sub
    subtract svd take_along_axis take_along_dim tanh topk tril triu true_divide uniform var
    vector_norm where
"""
"""The functions that write their result into a tensor, or into several, given as `out`."""
_MADE = "fftfreq rand_like randn_like range rfftfreq uniform"
"""Makers that take `device`, which does nothing, and `requires_grad`, which makes a leaf of the result."""
_SEVERAL = {
    "empty": 0, "expand": 1, "ones": 0, "rand": 0, "randn": 0, "reshape": 1, "view": 1, "zeros": 0,
}  # fmt: skip
"""The functions whose lengths may be single arguments, x.reshape(2, 3), and the place of the first."""
_words: dict[str, dict[str, str]] = {}
for _pairs, _functions in _OTHER_WORDS.items():
    for _function in _functions.split():
        _words[_function] = dict(pair.split("=") for pair in _pairs.split())
_writing, _made = frozenset(_OUT.split()), frozenset(_MADE.split())


class writer:
    """The function that checks `out` and writes into it; `_writing`, which imports tensors, sets it."""

    taken: Callable[[Any, str], None]
    written: Callable[[Any, Any, str, FrameType], Any]


def spoken(one: Any, names: tuple[str, ...] = ()) -> Any:
    """Returns a function with the words that it takes under its own name and other `names`; or the same."""
    called = {name.rpartition(".")[2] for name in (one.__name__, *names)}
    own = one.__code__.co_varnames[: one.__code__.co_argcount + one.__code__.co_kwonlyargcount]
    others = {
        word: argument
        for name in called
        for word, argument in _words.get(name, {}).items()
        if argument in own and word not in own
    }
    writes = "out" not in own and not called.isdisjoint(_writing)
    one = _with_places(one) if not called.isdisjoint(_made) and "requires_grad" not in own else one
    one = _speaking(one, others, writes) if others or writes else one
    return _with_lengths(one, _SEVERAL[one.__name__]) if one.__name__ in _SEVERAL else one


def also(**others: str) -> Callable[[Any], Any]:
    """Returns a decorator for a method that takes arguments by other words, too."""
    return lambda one: _speaking(one, others, False)


def only_one(argument: str, value: Any, word: str, other: Any) -> Any:
    """Returns the value of an argument that has two names; raises ValueError if both are given."""
    if value is not None and other is not None:
        raise ValueError(f"Cannot specify both '{argument}' and its alias '{word}'")
    return other if value is None else value


def _like(function: Any, one: Any) -> Any:
    for detail in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(function, detail, getattr(one, detail))
    function.__wrapped__ = one
    return function


def _with_places(one: Any) -> Any:
    """Returns a maker that takes `requires_grad` too, and `device`, which does nothing."""

    def function(*arguments: Any, device: Any = None, requires_grad: bool = False, **words: Any) -> Any:
        made = one(*arguments, **words)
        if requires_grad:
            made.stop_gradient = False
        return made

    return _like(function, one)


def _with_lengths(one: Any, place: int) -> Any:
    """Returns a function that takes lengths one by one: those from an argument on, if all are numbers."""

    def function(*arguments: Any, **words: Any) -> Any:
        if len(arguments) > place + 1 and all(type(given) is int for given in arguments[place:]):
            arguments = (*arguments[:place], arguments[place:])
        return one(*arguments, **words)

    return _like(function, one)


def _speaking(one: Any, others: dict[str, str], writes: bool) -> Callable[..., Any]:
    def function(*arguments: Any, **words: Any) -> Any:
        if not words:
            return one(*arguments)
        for word in others.keys() & words:
            if others[word] in words:
                raise ValueError(f"Cannot specify both '{others[word]}' and its alias '{word}'")
            words[others[word]] = words.pop(word)
        if not writes or words.get("out") is None:
            if writes:
                words.pop("out", None)
            return one(*arguments, **words)
        out = words.pop("out")
        writer.taken(out, one.__name__)
        return writer.written(one(*arguments, **words), out, one.__name__, _frame(1))

    return _like(function, one)  # type: ignore[no-any-return]


__all__ = ["also", "only_one", "spoken", "writer"]
