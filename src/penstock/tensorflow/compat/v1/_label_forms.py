"""Losses and decoders of label sequences, with the arguments that TensorFlow 1 has."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow import _beam_search, _cross_entropies
from penstock.tensorflow._errors import ConversionError
from penstock.tensorflow.compat.v1._built import built
from penstock.tensorflow.compat.v1.strings import _either
from penstock.trace.source_site import here


@built("tf.compat.v1.nn.ctc_loss", type="CTCLoss")
def ctc_loss(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Any:
    """Returns -log of the probability of sparse label sequences, over all alignments; the blank is the last.

    `preprocess_collapse_repeated` merges equal labels in a row first. Alignments without
    `ctc_merge_repeated` are not computed.
    """
    if not getattr(labels, "_is_sparse", False):
        raise ConversionError(
            "Expected argument `labels` to be a SparseTensor. "
            f"Received labels={labels} of type: {type(labels).__name__}",
            remedy="Make one with tf.sparse.from_dense, or tf.sparse_placeholder.",
            site=here(),
        )
    if not ctc_merge_repeated:
        raise NotImplementedError(
            "ctc_merge_repeated=False is not supported by penstock.tensorflow (yet): only alignments "
            "in which equal labels in a row are merged."
        )
    return _beam_search.sparse_loss(
        labels,
        _either(logits, inputs, ("logits", "inputs")),
        sequence_length,
        bool(time_major),
        -1,
        bool(preprocess_collapse_repeated),
        bool(ignore_longer_outputs_than_inputs),
    )


@built("tf.compat.v1.nn.ctc_loss_v2", type="ctc_loss_dense")
def ctc_loss_v2(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: Any = None,
) -> Any:
    """Returns what `tf.nn.ctc_loss` of TensorFlow 2 does. `unique` does nothing: it is always computed."""
    return _cross_entropies.ctc_loss(
        labels, logits, label_length, logit_length, logits_time_major, unique, blank_index
    )


@built("tf.compat.v1.nn.ctc_beam_search_decoder", type="CTCBeamSearchDecoder")
def ctc_beam_search_decoder(
    inputs: Any,
    sequence_length: Any,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> Any:
    """Returns the likeliest rows of labels; with `merge_repeated` without those that follow an equal one."""
    return _beam_search.decoded(
        inputs, sequence_length, int(beam_width), int(top_paths), bool(merge_repeated)
    )


@built("tf.compat.v1.nn.ctc_beam_search_decoder_v2", type="CTCBeamSearchDecoder")
def ctc_beam_search_decoder_v2(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> Any:
    """Returns what `tf.nn.ctc_beam_search_decoder` of TensorFlow 2 does."""
    return _beam_search.decoded(inputs, sequence_length, int(beam_width), int(top_paths), False)


__all__ = ["ctc_beam_search_decoder", "ctc_beam_search_decoder_v2", "ctc_loss", "ctc_loss_v2"]
