"""Functions of tf.keras.backend on networks from before Keras 3: labels of sequences, steps, other sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock import tensorflow as tf
from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras import ops
from penstock.tensorflow.keras._older_operations import _format, binary_crossentropy
from penstock.trace.source_site import here

_EPSILON = 1e-7


@named("tf.keras.backend.batch_dot")
def batch_dot(x: Any, y: Any, axes: Any = None) -> Any:
    """Returns the products of the examples of two batches, over one axis of each.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.backend.batch_dot(tf.ones((2, 3, 4)), tf.ones((2, 4, 5))).shape
    TensorShape([2, 3, 5])
    """
    x, y = tf.convert_to_tensor(x), tf.convert_to_tensor(y)
    a, b = tuple(x.shape), tuple(y.shape)
    if len(a) < 2 or len(b) < 2:
        raise ArgumentError(
            f"Cannot do batch_dot on inputs with rank < 2. Received inputs with tf.shapes {a} and {b}.",
            site=here(),
        )
    if a[0] != b[0]:
        raise ArgumentError(
            "Cannot do batch_dot on inputs with different batch sizes. Received inputs with tf.shapes "
            f"{a} and {b}.",
            site=here(),
        )
    if axes is None:
        axes = [len(a) - 1, len(b) - (1 if len(b) == 2 else 2)]
    axes = [axes, axes] if isinstance(axes, int) else list(axes)
    if any(isinstance(one, list | tuple) for one in axes):
        raise ArgumentError(
            "Multiple target dimensions are not supported. Expected: None, int, (int, int), Provided: "
            f"{axes}",
            site=here(),
        )
    first, second = axes[0] % len(a), axes[1] % len(b)
    if 0 in (first, second):
        raise ArgumentError(
            "Cannot perform batch_dot over axis 0. If your inputs are not batched, add a dummy batch "
            "dimension to your inputs using K.expand_dims(x, 0)",
            site=here(),
        )
    if a[first] != b[second]:
        raise ArgumentError(
            f"Cannot do batch_dot on inputs with tf.shapes {a} and {b} with axes={[first, second]}. "
            f"x.shape[{first}] != y.shape[{second}] ({a[first]} != {b[second]}).",
            site=here(),
        )
    rows = a[1:first] + a[first + 1 :]
    columns = b[1:second] + b[second + 1 :]
    order = [n for n in range(len(a)) if n != first] + [first]
    other = [0, second, *(n for n in range(1, len(b)) if n != second)]
    x = tf.reshape(tf.transpose(x, order), [a[0], -1, a[first]])
    y = tf.reshape(tf.transpose(y, other), [b[0], b[second], -1])
    made = tf.reshape(tf.matmul(x, y), [a[0], *rows, *columns])
    return made if rows or columns else made[:, None]


@named("tf.keras.backend.binary_focal_crossentropy")
def binary_focal_crossentropy(
    target: Any, output: Any, apply_class_balancing: bool = False, alpha: float = 0.25, gamma: float = 2.0,
    from_logits: bool = False,
) -> Any:  # fmt: skip
    """Returns the cross entropy of each element, times how far its probability is from right."""
    target, output = tf.convert_to_tensor(target), tf.convert_to_tensor(output)
    p = tf.sigmoid(output) if from_logits else output
    right = target * p + (1 - target) * (1 - p)
    made = tf.pow(1.0 - right, gamma) * binary_crossentropy(target, output, from_logits)
    return (target * alpha + (1 - target) * (1 - alpha)) * made if apply_class_balancing else made


@named("tf.keras.backend.categorical_focal_crossentropy")
def categorical_focal_crossentropy(
    target: Any, output: Any, alpha: float = 0.25, gamma: float = 2.0, from_logits: bool = False,
    axis: int = -1,
) -> Any:  # fmt: skip
    """Returns the cross entropy of rows, each class weighted by how far its probability is from right."""
    target, p = tf.convert_to_tensor(target), tf.convert_to_tensor(output)
    p = tf.nn.softmax(p, axis=axis) if from_logits else p
    p = tf.clip_by_value(p / tf.reduce_sum(p, axis, keepdims=True), _EPSILON, 1.0 - _EPSILON)
    return tf.reduce_sum(tf.pow(1.0 - p, gamma) * alpha * -target * tf.math.log(p), axis)


@named("tf.keras.backend.conv2d_transpose")
def conv2d_transpose(
    x: Any, kernel: Any, output_shape: Any, strides: Any = (1, 1), padding: str = "valid",
    data_format: Any = None, dilation_rate: Any = (1, 1),
) -> Any:  # fmt: skip
    """Returns the transposed convolution of pictures, of a shape."""
    if tuple(dilation_rate) != (1, 1):
        raise ArgumentError(
            f"conv2d_transpose: dilation_rate={dilation_rate} is not taken.",
            remedy="Use tf.keras.ops.conv_transpose(x, kernel, dilation_rate=...).",
            site=here(),
        )
    last = _format(data_format) == "channels_last"
    lengths = [n if n is not None else tuple(x.shape)[place] for place, n in enumerate(output_shape)]
    if not last:
        x, lengths = tf.transpose(x, [0, 2, 3, 1]), [lengths[0], *lengths[2:], lengths[1]]
    made = tf.nn.conv2d_transpose(x, kernel, lengths, [1, *strides, 1], padding.upper())
    return made if last else tf.transpose(made, [0, 3, 1, 2])


@named("tf.keras.backend.separable_conv2d")
def separable_conv2d(
    x: Any, depthwise_kernel: Any, pointwise_kernel: Any, strides: Any = (1, 1), padding: str = "valid",
    data_format: Any = None, dilation_rate: Any = (1, 1),
) -> Any:  # fmt: skip
    """Returns the convolution of each channel by itself, then of the channels of each pixel."""
    return ops.separable_conv(
        x, depthwise_kernel, pointwise_kernel, strides, padding, _format(data_format), dilation_rate
    )


@named("tf.keras.backend.resize_images")
def resize_images(
    x: Any, height_factor: int, width_factor: int, data_format: str, interpolation: str = "nearest"
) -> Any:
    """Returns pictures whose height and width are multiplied."""
    if data_format not in ("channels_first", "channels_last"):
        raise ArgumentError(f"Invalid `data_format` argument: {data_format}", site=here())
    methods = {
        "area": "area", "bicubic": "bicubic", "bilinear": "bilinear", "gaussian": "gaussian",
        "lanczos3": "lanczos3", "lanczos5": "lanczos5", "mitchellcubic": "mitchellcubic",
        "nearest": "nearest",
    }  # fmt: skip
    if interpolation not in methods:
        known = '", "'.join(methods)
        raise ArgumentError(
            f'`interpolation` argument should be one of: "{known}". Received: "{interpolation}".', site=here()
        )
    x = tf.convert_to_tensor(x)
    first = data_format == "channels_first"
    x = tf.transpose(x, [0, 2, 3, 1]) if first else x
    size = [x.shape[1] * height_factor, x.shape[2] * width_factor]
    made = tf.image.resize(x, size, method=interpolation)
    return tf.transpose(made, [0, 3, 1, 2]) if first else made


@named("tf.keras.backend.resize_volumes")
def resize_volumes(x: Any, depth_factor: int, height_factor: int, width_factor: int, data_format: str) -> Any:
    """Returns volumes whose depth, height and width are multiplied."""
    if data_format not in ("channels_first", "channels_last"):
        raise ArgumentError(f"Invalid data_format: {data_format}", site=here())
    start = 2 if data_format == "channels_first" else 1
    for place, factor in enumerate((depth_factor, height_factor, width_factor)):
        x = tf.repeat(x, factor, axis=start + place)
    return x


# -- labels of sequences ------------------------------------------------------------------------------------


@named("tf.keras.backend.ctc_label_dense_to_sparse")
def ctc_label_dense_to_sparse(labels: Any, label_lengths: Any) -> Any:
    """Returns the first labels of each row, as many as its length says, as a sparse tensor."""
    rows = np.asarray(tf.convert_to_tensor(labels))
    lengths = np.asarray(tf.convert_to_tensor(label_lengths)).reshape(-1)
    places = np.argwhere(np.arange(rows.shape[1])[None] < lengths[:, None])
    return tf.SparseTensor(places.astype(np.int64), rows[tuple(places.T)], rows.shape)


@named("tf.keras.backend.ctc_batch_cost")
def ctc_batch_cost(y_true: Any, y_pred: Any, input_length: Any, label_length: Any) -> Any:
    """Returns -log of the probability of labels [batch, 1], over all alignments; the blank is the last.

    `y_pred` are probabilities [batch, steps, labels], and the lengths are [batch, 1].
    """
    p = tf.convert_to_tensor(y_pred)
    lengths = tf.cast(tf.squeeze(tf.convert_to_tensor(label_length), -1), "int32")
    steps = tf.cast(tf.squeeze(tf.convert_to_tensor(input_length), -1), "int32")
    found = tf.nn.ctc_loss(
        labels=tf.cast(y_true, "int32"), logits=tf.math.log(p + _EPSILON), label_length=lengths,
        logit_length=steps, logits_time_major=False, blank_index=-1,
    )  # fmt: skip
    return found[:, None]


@named("tf.keras.backend.ctc_decode")
def ctc_decode(
    y_pred: Any, input_length: Any, greedy: bool = True, beam_width: int = 100, top_paths: int = 1
) -> Any:
    """Returns the likeliest labels of probabilities [batch, steps, labels], and log probabilities.

    The labels are a list of `top_paths` tensors, filled with -1; the blank is the last label.
    """
    p = tf.convert_to_tensor(y_pred)
    logits = tf.math.log(tf.transpose(p, [1, 0, 2]) + _EPSILON)
    lengths = tf.cast(input_length, "int32")
    if greedy:
        decoded, scores = tf.nn.ctc_greedy_decoder(logits, lengths)
    else:
        decoded, scores = tf.nn.ctc_beam_search_decoder(logits, lengths, beam_width, top_paths)
    shape = tuple(p.shape)[:2]
    rows = [tf.SparseTensor(one.indices, one.values, shape) for one in decoded]
    return [tf.sparse.to_dense(one, default_value=-1) for one in rows], scores


@named("tf.keras.backend.gradients")
def gradients(loss: Any, variables: Any) -> Any:
    """Returns the gradients of a loss in a graph of TensorFlow 1: see `tf.compat.v1.gradients`."""
    return tf.compat.v1.gradients(loss, variables)


@named("tf.keras.backend.rnn")
def rnn(
    step_function: Any, inputs: Any, initial_states: Any, go_backwards: bool = False, mask: Any = None,
    constants: Any = None, unroll: bool = False, input_length: Any = None, time_major: bool = False,
    zero_output_for_mask: bool = False, return_all_outputs: bool = True,
) -> Any:  # fmt: skip
    """Returns the last output, all outputs and the last states of a function of each step and the states.

    Steps that `mask` [batch, steps] leaves out keep the states, and give the output before them, or zeros.
    `unroll` and `input_length` do nothing: each step is recorded.
    """
    flat = tf.nest.flatten(inputs)
    flat = [tf.convert_to_tensor(one) for one in flat]
    if not time_major:
        flat = [tf.transpose(one, [1, 0, *range(2, len(one.shape))]) for one in flat]
    kept = None
    if mask is not None:
        kept = tf.cast(mask, "bool")
        kept = kept if time_major else tf.transpose(kept)
    more = list(constants or [])
    states = tuple(initial_states)
    outputs: list[Any] = []
    count = flat[0].shape[0]
    for step in reversed(range(count)) if go_backwards else range(count):
        given = tf.nest.pack_sequence_as(inputs, [one[step] for one in flat])
        output, found = step_function(given, (*states, *more))
        if kept is not None:
            there = kept[step]
            before = outputs[-1] if outputs and not zero_output_for_mask else tf.zeros_like(output)
            output = tf.where(_beside(there, output), output, before)
            found = [tf.where(_beside(there, new), new, old) for new, old in zip(found, states, strict=True)]
        states = tuple(found)
        outputs.append(output)
    whole = tf.stack(outputs) if return_all_outputs else outputs[-1][None]
    whole = whole if time_major else tf.transpose(whole, [1, 0, *range(2, len(whole.shape))])
    return outputs[-1], whole, list(states)


def _beside(mask: Any, values: Any) -> Any:
    return tf.reshape(mask, [*mask.shape, *[1] * (len(values.shape) - len(mask.shape))])
