"""Layers of static programs as functions: each makes its parameters where it is called."""

from __future__ import annotations

import math
import sys
from typing import Any

from penstock.declared import named
from penstock.paddle import _creation
from penstock.paddle._names import namespace as _namespace
from penstock.paddle._numbering import Names
from penstock.paddle._paths import path_to
from penstock.paddle.static import _control
from penstock.paddle.static._building import call_layer

_frame = sys._getframe


def _parameter(
    shape: Any, attr: Any, dtype: Any, owner: str, is_bias: bool = False, start: Any = None
) -> Any:
    wanted = _creation.attributes(attr)
    if wanted is None:
        return None
    name = wanted.name or Names.next(f"{owner}.{'b' if is_bias else 'w'}")
    return _creation.create_parameter(shape, dtype, name, wanted, is_bias, start)


def _activated(x: Any, activation: Any) -> Any:
    if activation is None:
        return x
    from penstock.paddle.nn import functional as F

    return getattr(F, activation)(x)


def fc(
    x: Any, size: int, num_flatten_dims: int = 1, weight_attr: Any = None, bias_attr: Any = None,
    activation: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    """Returns x's last axes, as one, times a weight of `size` columns, plus a bias; of several, the sum."""
    from penstock.paddle.nn import functional as F

    owner = Names.next("fc") if name is None else name
    parts = list(x) if isinstance(x, list | tuple) else [x]
    attributes = weight_attr if isinstance(weight_attr, list | tuple) else [weight_attr] * len(parts)
    total: Any = None
    for one, attr in zip(parts, attributes, strict=True):
        axis = num_flatten_dims if num_flatten_dims >= 0 else one.ndim + num_flatten_dims
        rows = math.prod(one.shape[axis:])
        weight = _parameter([rows, size], attr, one.dtype, owner)
        flat = one if axis == one.ndim - 1 else one.flatten(axis, -1)
        made = F.linear(flat, weight)
        total = made if total is None else total + made
    bias = _parameter([size], bias_attr, parts[0].dtype, owner, True)
    return _activated(total if bias is None else total + bias, activation)


def embedding(
    input: Any, size: Any, is_sparse: bool = False, is_distributed: bool = False, padding_idx: Any = None,
    param_attr: Any = None, dtype: Any = "float32",
) -> Any:  # fmt: skip
    """Returns the rows of a table of `size` [rows, columns] at `input`.

    The table is in one place, so `is_distributed` does nothing.
    """
    from penstock.paddle.nn import functional as F

    weight = _parameter(size, param_attr, dtype, Names.next("embedding"))
    return F.embedding(input, weight, padding_idx=padding_idx, sparse=is_sparse)


sparse_embedding = embedding


def _called(layer: Any, x: Any, act: Any, frame: Any, *others: Any) -> Any:
    made = call_layer(layer, (x, *others), frame)
    return _activated(made, act)


def _layer(kind: str, *arguments: Any, **options: Any) -> Any:
    from penstock.paddle import nn

    return getattr(nn, kind)(*arguments, **options)


def _channels(x: Any, data_format: str) -> int:
    return int(x.shape[1 if data_format.startswith("NC") else -1])


def _convolution(kind: str, word: str) -> Any:
    def function(
        input: Any, num_filters: int, filter_size: Any = None, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: Any = None, param_attr: Any = None, bias_attr: Any = None,
        use_cudnn: bool = True, act: Any = None, name: Any = None, data_format: str = "NC",
    ) -> Any:  # fmt: skip
        """Returns the convolution of `input` with filters made here; `use_cudnn` does nothing."""
        form = {"NC": {4: "NCHW", 5: "NCDHW"}[input.ndim]}.get(data_format, data_format)
        layer = _layer(
            kind, _channels(input, form), num_filters, filter_size, stride=stride, padding=padding,
            dilation=dilation, groups=groups or 1, weight_attr=param_attr, bias_attr=bias_attr,
            data_format=form,
        )  # fmt: skip
        return _called(layer, input, act, _frame(1))

    function.__name__ = function.__qualname__ = word
    return function


conv2d, conv3d = _convolution("Conv2D", "conv2d"), _convolution("Conv3D", "conv3d")


def conv2d_transpose(
    input: Any, num_filters: int, output_size: Any = None, filter_size: Any = None, padding: Any = 0,
    stride: Any = 1, dilation: Any = 1, groups: Any = None, param_attr: Any = None, bias_attr: Any = None,
    use_cudnn: bool = True, act: Any = None, name: Any = None, data_format: str = "NCHW",
) -> Any:  # fmt: skip
    """Returns the transposed convolution of `input` with filters made here; `use_cudnn` does nothing."""
    layer = _layer(
        "Conv2DTranspose", _channels(input, data_format), num_filters, filter_size, stride=stride,
        padding=padding, dilation=dilation, groups=groups or 1, weight_attr=param_attr, bias_attr=bias_attr,
        data_format=data_format,
    )  # fmt: skip
    given = () if output_size is None else (output_size,)
    return _called(layer, input, act, _frame(1), *given)


def batch_norm(
    input: Any, act: Any = None, is_test: bool = False, momentum: float = 0.9, epsilon: float = 1e-5,
    param_attr: Any = None, bias_attr: Any = None, data_layout: str = "NCHW", in_place: bool = False,
    name: Any = None, moving_mean_name: Any = None, moving_variance_name: Any = None,
    do_model_average_for_mean_and_var: bool = True, use_global_stats: bool = False,
) -> Any:  # fmt: skip
    """Returns `input` normalized over all axes but that of the channels.

    The running mean and variance keep their own names, and results have separate memory: `in_place`,
    `moving_mean_name`, `moving_variance_name` and `do_model_average_for_mean_and_var` do nothing.
    """
    layer = _layer(
        "BatchNorm", _channels(input, data_layout), momentum=momentum, epsilon=epsilon, param_attr=param_attr,
        bias_attr=bias_attr, data_layout=data_layout, use_global_stats=use_global_stats,
    )  # fmt: skip
    layer.training = not is_test
    return _called(layer, input, act, _frame(1))


def layer_norm(
    input: Any, scale: bool = True, shift: bool = True, begin_norm_axis: int = 1, epsilon: float = 1e-5,
    param_attr: Any = None, bias_attr: Any = None, act: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    """Returns `input` normalized over the axes from `begin_norm_axis` on."""
    layer = _layer(
        "LayerNorm", list(input.shape[begin_norm_axis:]), epsilon,
        weight_attr=param_attr if scale else False, bias_attr=bias_attr if shift else False,
    )  # fmt: skip
    return _called(layer, input, act, _frame(1))


def group_norm(
    input: Any, groups: int, epsilon: float = 1e-5, param_attr: Any = None, bias_attr: Any = None,
    act: Any = None, data_layout: str = "NCHW", name: Any = None,
) -> Any:  # fmt: skip
    """Returns `input` normalized within groups of channels."""
    layer = _layer(
        "GroupNorm", groups, _channels(input, data_layout), epsilon, weight_attr=param_attr,
        bias_attr=bias_attr, data_format=data_layout,
    )  # fmt: skip
    return _called(layer, input, act, _frame(1))


def instance_norm(
    input: Any, epsilon: float = 1e-5, param_attr: Any = None, bias_attr: Any = None, name: Any = None
) -> Any:
    """Returns `input` normalized within each channel of each example."""
    layer = _layer(
        "InstanceNorm2D", _channels(input, "NCHW"), epsilon, weight_attr=param_attr, bias_attr=bias_attr
    )
    return _called(layer, input, None, _frame(1))


def prelu(x: Any, mode: str, param_attr: Any = None, data_format: str = "NCHW", name: Any = None) -> Any:
    """Returns max(x, 0) + slope * min(x, 0), with one slope (`mode` "all") or one for each channel."""
    count = 1 if mode == "all" else _channels(x, data_format)
    layer = _layer("PReLU", count, weight_attr=param_attr, data_format=data_format)
    return _called(layer, x, None, _frame(1))


@named("paddle.static.py_func", "paddle.static.nn.py_func")
def py_func(
    func: Any, x: Any, out: Any, backward_func: Any = None, skip_vars_in_backward_input: Any = None
) -> Any:
    """Calls a Python function with arrays in each run; its result is `out`, which gives the shapes.

    No gradient passes through, so a `backward_func` is refused.
    """
    from penstock.paddle._errors import NotThereError
    from penstock.trace.source_site import here

    if backward_func is not None or skip_vars_in_backward_input is not None:
        raise NotThereError(
            "static.nn.py_func with a backward_func is not in penstock.paddle yet.",
            remedy="Write the gradient as a paddle.autograd.PyLayer.",
            site=here(),
        )
    from penstock.capture.calls import Input, site_code
    from penstock.paddle._convert import data
    from penstock.paddle.static._program import Operation, programs

    given = list(x) if isinstance(x, list | tuple) else [x]
    outputs = list(out) if isinstance(out, list | tuple) else [out]

    def called(*values: Any) -> list[Any]:
        found = func(*[one.numpy() for one in values])
        return [data(one) for one in (found if isinstance(found, list | tuple) else [found])]

    places = [Input(number) for number in range(len(given))]
    operation = Operation("py_func", called, places, {}, given, site_code(_frame(1), programs.main.codes))
    operation.outputs = outputs
    programs.main.add(operation)
    return out


path_to(sys.modules[__name__], "control_flow", _control, sys.modules[__name__])
path_to(sys.modules[__name__], "common", sys.modules[__name__])

__getattr__, __dir__, __all__ = _namespace("paddle.static.nn", globals(), "static._control")
