"""Data sets of the sounds in folders: a folder for each class."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras._folders import Files
from penstock.trace.source_site import here


@named("tf.keras.utils.audio_dataset_from_directory")
def audio_dataset_from_directory(
    directory: Any,
    labels: Any = "inferred",
    label_mode: Any = "int",
    class_names: Any = None,
    batch_size: Any = 32,
    sampling_rate: Any = None,
    output_sequence_length: Any = None,
    ragged: bool = False,
    shuffle: bool = True,
    seed: Any = None,
    validation_split: Any = None,
    subset: Any = None,
    follow_links: bool = False,
    verbose: bool = True,
) -> Any:
    """Returns a data set of the sounds of .wav files and labels in batches, from a folder for each class.

    Sounds are [samples, channels] between -1 and 1. They are cut, or filled with zeros, to
    `output_sequence_length`; without it, those of a batch to the longest of them, or they are the rows of a
    ragged tensor with `ragged`. The result has `class_names`; for the subset "both" it is a pair of data
    sets. Raises ImportError for a `sampling_rate`, which Keras takes where tensorflow_io is installed.
    """
    if labels not in ("inferred", None):
        if not isinstance(labels, list | tuple):
            raise ArgumentError(
                "The `labels` argument should be a list/tuple of integer labels, of the same size as the "
                "number of audio files in the target directory. If you wish to infer the labels from the "
                'subdirectory names in the target directory, pass `labels="inferred"`. If you wish to get a '
                f"dataset that only contains audio samples (no labels), pass `labels=None`. Received: "
                f"labels={labels}",
                site=here(),
            )
        if class_names:
            raise ArgumentError(
                f'You can only pass `class_names` if `labels="inferred"`. Received: labels={labels}, and '
                f"class_names={class_names}",
                site=here(),
            )
    if ragged and output_sequence_length is not None:
        raise ArgumentError("Cannot set both `ragged` and `output_sequence_length`", site=here())
    if sampling_rate is not None:
        _refuse_rate(sampling_rate)
    length = -1 if output_sequence_length is None else int(output_sequence_length)

    def read(path: str) -> Any:
        from penstock.tensorflow._ragged.tensor import RaggedTensor
        from penstock.tensorflow.audio import decode_wav

        with open(path, "rb") as file:
            sound = decode_wav(file.read(), desired_samples=length).audio
        return RaggedTensor.from_tensor(sound) if ragged else sound

    found = Files(directory, labels, label_mode, class_names, (".wav",), follow_links)
    found.padded = length < 0 and not ragged
    return found.data_set(read, batch_size, shuffle, seed, validation_split, subset, verbose)


def _refuse_rate(rate: Any) -> None:
    """Raises an error that says what is wrong with a sampling rate, or that none is taken."""
    if not isinstance(rate, int):
        raise ArgumentError(
            f"`sampling_rate` should have an integer value. Received: sampling_rate={rate}", site=here()
        )
    if rate <= 0:
        raise ArgumentError(
            f"`sampling_rate` should be higher than 0. Received: sampling_rate={rate}", site=here()
        )
    raise ImportError(
        "To use the argument `sampling_rate`, you should install tensorflow_io. penstock.tensorflow does not "
        "use it: write the files with this rate, or resample in dataset.map, with scipy.signal.resample_poly."
    )


__all__ = ["audio_dataset_from_directory"]
