"""Data sets of the files in folders: a folder for each class."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._pictures_as_bytes import decode_image
from penstock.tensorflow.keras._image_files import _MODES, pillow
from penstock.trace.source_site import here

_PICTURES = (".bmp", ".gif", ".jpeg", ".jpg", ".png")
_MODES_OF_LABELS = ("int", "categorical", "binary", None)


@named("tf.keras.utils.image_dataset_from_directory", "tf.keras.preprocessing.image_dataset_from_directory")
def image_dataset_from_directory(
    directory: Any,
    labels: Any = "inferred",
    label_mode: Any = "int",
    class_names: Any = None,
    color_mode: str = "rgb",
    batch_size: Any = 32,
    image_size: Any = (256, 256),
    shuffle: bool = True,
    seed: Any = None,
    validation_split: Any = None,
    subset: Any = None,
    interpolation: str = "bilinear",
    follow_links: bool = False,
    crop_to_aspect_ratio: bool = False,
    pad_to_aspect_ratio: bool = False,
    data_format: Any = None,
    format: str = "tf",
    verbose: bool = True,
) -> Any:
    """Returns a data set of pictures and labels in batches, from a folder with a folder for each class.

    Pictures are resized to `image_size` by `tf.image.resize`; `crop_to_aspect_ratio` cuts them to its
    proportions first, and `pad_to_aspect_ratio` adds black borders. The result has `class_names` and
    `file_paths`; for the subset "both" it is a pair of data sets. Raises PillowMissingError without Pillow.
    """
    if color_mode not in _MODES:
        raise ArgumentError(
            f'`color_mode` must be one of {{"rgb", "rgba", "grayscale"}}. Received: color_mode={color_mode}',
            site=here(),
        )
    if format != "tf":
        raise ArgumentError(f'`format` should be "tf". Received: format={format}', site=here())
    pillow("image_dataset_from_directory")
    size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
    resized = _Resized(
        size, color_mode, interpolation, crop_to_aspect_ratio, pad_to_aspect_ratio, data_format
    )
    found = Files(directory, labels, label_mode, class_names, _PICTURES, follow_links)
    return found.data_set(resized, batch_size, shuffle, seed, validation_split, subset, verbose)


@named("tf.keras.utils.text_dataset_from_directory", "tf.keras.preprocessing.text_dataset_from_directory")
def text_dataset_from_directory(
    directory: Any,
    labels: Any = "inferred",
    label_mode: Any = "int",
    class_names: Any = None,
    batch_size: Any = 32,
    max_length: Any = None,
    shuffle: bool = True,
    seed: Any = None,
    validation_split: Any = None,
    subset: Any = None,
    follow_links: bool = False,
    format: str = "tf",
    verbose: bool = True,
) -> Any:
    """Returns a data set of the texts of .txt files and labels in batches; `max_length` cuts texts."""
    if format != "tf":
        raise ArgumentError(f'`format` should be "tf". Received: format={format}', site=here())

    def read(path: str) -> Any:
        with open(path, "rb") as file:
            content = file.read()
        return np.asarray(content if max_length is None else content[:max_length], object)

    found = Files(directory, labels, label_mode, class_names, (".txt",), follow_links)
    return found.data_set(read, batch_size, shuffle, seed, validation_split, subset, verbose)


class _Resized:
    """Reads a picture and brings it to one size."""

    def __init__(
        self, size: tuple[int, int], color_mode: str, method: str, crop: bool, pad: bool, data_format: Any
    ) -> None:
        self.size, self.channels, self.method = size, len(_MODES[color_mode]), method
        self.crop, self.pad, self.data_format = crop, pad, data_format

    def __call__(self, path: str) -> Any:
        from penstock.tensorflow import image

        with open(path, "rb") as file:
            array = decode_image(file.read(), self.channels, expand_animations=False).numpy()
        height, width = array.shape[:2]
        if self.pad:
            made = image.resize_with_pad(array, *self.size, method=self.method)
        else:
            if self.crop:
                tall = min(height, int(width * self.size[0] / self.size[1]))
                wide = min(width, int(height * self.size[1] / self.size[0]))
                top, left = (height - tall) // 2, (width - wide) // 2
                array = array[top : top + tall, left : left + wide]
            made = image.resize(array, self.size, method=self.method)
        found = np.asarray(made.numpy())
        return found.transpose(2, 0, 1) if self.data_format == "channels_first" else found


class Files:
    """Files of these endings below a folder, with the number of the class of each."""

    padded = False
    """Whether the elements of a batch are filled with zeros to the longest of them."""

    def __init__(
        self,
        directory: Any,
        labels: Any,
        label_mode: Any,
        class_names: Any,
        endings: tuple[str, ...],
        links: bool,
    ) -> None:
        if label_mode not in _MODES_OF_LABELS:
            raise ArgumentError(
                '`label_mode` argument must be one of "int", "categorical", "binary", or None. Received: '
                f"label_mode={label_mode}",
                site=here(),
            )
        self.directory, self.mode = os.fspath(directory), None if labels is None else label_mode
        if not os.path.isdir(self.directory):
            raise FileNotFoundError(f"There is no folder {self.directory!r} in {os.getcwd()}.")
        folders = sorted(
            name for name in os.listdir(self.directory) if os.path.isdir(os.path.join(self.directory, name))
        )
        inferred = isinstance(labels, str)
        if inferred and class_names is not None and set(class_names) != set(folders):
            raise ArgumentError(
                "The `class_names` passed did not match the names of the subdirectories of the target "
                f"directory. Expected: {folders}, but received: {class_names}",
                site=here(),
            )
        names: list[str] = list(class_names or folders)
        self.class_names: Any = names if inferred else None
        if inferred:
            parts = [_below(os.path.join(self.directory, name), endings, links) for name in names]
            self.paths = [path for part in parts for path in part]
            self.labels: Any = np.repeat(np.arange(len(parts)), [len(part) for part in parts]).astype(
                np.int32
            )
        else:
            self.paths, self.labels = _below(self.directory, endings, links), labels
            if labels is not None and len(labels) != len(self.paths):
                raise ArgumentError(
                    "Expected the lengths of `labels` to match the number of files in the target directory. "
                    f"len(labels) is {len(labels)} while we found {len(self.paths)} files in directory "
                    f"{self.directory}.",
                    site=here(),
                )
            self.labels = None if labels is None else np.asarray(labels, np.int32)
            self.class_names = None if labels is None else [str(one) for one in sorted(set(labels))]
        if not self.paths:
            raise ArgumentError(
                f"No files with the endings {', '.join(endings)} found in directory {self.directory}.",
                site=here(),
            )
        if self.mode == "binary" and self.class_names is not None and len(self.class_names) != 2:
            raise ArgumentError(
                'When passing `label_mode="binary"`, there must be exactly 2 class_names. Received: '
                f"class_names={self.class_names}",
                site=here(),
            )

    def data_set(
        self, read: Any, batch_size: Any, shuffle: bool, seed: Any, split: Any, subset: Any, verbose: bool
    ) -> Any:
        """Returns the data set of a subset, or two for "both"."""
        _check_split(split, subset, shuffle, seed)
        seed = np.random.randint(1_000_000) if seed is None else seed
        if shuffle:
            for rows in (self.paths, self.labels):
                if rows is not None:
                    np.random.RandomState(seed).shuffle(rows)
        if verbose:
            named = f" belonging to {len(self.class_names)} classes" if self.class_names else ""
            print(f"Found {len(self.paths)} files{named}.")
        if not subset:
            return self._made(slice(None), read, batch_size, shuffle, seed)
        held = int(split * len(self.paths))
        parts = {
            "training": slice(0, len(self.paths) - held),
            "validation": slice(len(self.paths) - held, None),
        }
        chosen = list(parts) if subset == "both" else [subset]
        made = []
        for name in chosen:
            count = len(self.paths[parts[name]])
            if verbose:
                print(f"Using {count} files for {name}.")
            shuffled = shuffle and (subset != "both" or name == "training")
            made.append(self._made(parts[name], read, batch_size, shuffled, seed))
        return made if subset == "both" else made[0]

    def _made(self, part: slice, read: Any, batch_size: Any, shuffle: bool, seed: int) -> Any:
        from penstock.tensorflow._dataset import Dataset

        paths = self.paths[part]
        columns = (
            (np.arange(len(paths)),) if self.mode is None else (np.arange(len(paths)), self.labels[part])
        )
        made = Dataset.from_tensor_slices(columns)
        if shuffle:
            made = made.shuffle(1024 if batch_size is None else batch_size * 8, seed=seed)

        def loaded(number: Any, *label: Any) -> Any:
            picture = read(paths[int(number)])
            return (picture, *map(self._label, label)) if label else picture

        made = made.map(loaded)
        if batch_size is not None:
            made = made.padded_batch(batch_size) if self.padded else made.batch(batch_size)
        more: Any = made
        more.class_names, more.file_paths = self.class_names, paths
        return more

    def _label(self, label: Any) -> Any:
        number = np.asarray(label.numpy())
        if self.mode == "binary":
            return number.astype(np.float32)[None]
        if self.mode == "categorical":
            return np.eye(len(self.class_names), dtype=np.float32)[number]
        return number


def _below(folder: str, endings: tuple[str, ...], links: bool) -> list[str]:
    """Returns the files below a folder, as Keras lists them."""
    found = []
    for root, _, names in sorted(os.walk(folder, followlinks=links)):
        found += [os.path.join(root, name) for name in sorted(names) if name.lower().endswith(endings)]
    return found


def _check_split(split: Any, subset: Any, shuffle: bool, seed: Any) -> None:
    if split and not 0 < split < 1:
        raise ArgumentError(f"`validation_split` must be between 0 and 1, received: {split}", site=here())
    if bool(split) != bool(subset):
        raise ArgumentError("If `subset` is set, `validation_split` must be set, and inversely.", site=here())
    if subset not in ("training", "validation", "both", None):
        raise ArgumentError(
            f'`subset` must be either "training", "validation" or "both", received: {subset}', site=here()
        )
    if split and shuffle and seed is None:
        raise ArgumentError(
            "If using `validation_split` and shuffling the data, you must provide a `seed` argument, to make "
            "sure that there is no overlap between the training and validation subset.",
            site=here(),
        )


@named("tf.keras.utils.timeseries_dataset_from_array", "tf.keras.preprocessing.timeseries_dataset_from_array")
def timeseries_dataset_from_array(
    data: Any,
    targets: Any,
    sequence_length: int,
    sequence_stride: int = 1,
    sampling_rate: int = 1,
    batch_size: Any = 128,
    shuffle: bool = False,
    seed: Any = None,
    start_index: Any = None,
    end_index: Any = None,
) -> Any:
    """Returns a data set of windows of a series, each with the target at its start.

    >>> import numpy as np
    >>> from penstock import tensorflow as tf
    >>> rows = tf.keras.utils.timeseries_dataset_from_array(np.arange(5), np.arange(5) + 2, 2, batch_size=4)
    >>> next(iter(rows))[0].numpy().tolist()
    [[0, 1], [1, 2], [2, 3], [3, 4]]
    """
    from penstock.tensorflow._dataset import Dataset

    first, end = start_index or 0, len(data) if end_index is None else end_index
    rows = np.asarray(data)[first:end]
    count = len(rows) - (sequence_length - 1) * sampling_rate
    if targets is not None:
        targets = np.asarray(targets)[first:end]
        count = min(count, len(targets))
    starts = np.arange(0, count, sequence_stride, dtype=np.int32)
    if shuffle:
        seed = np.random.randint(1_000_000) if seed is None else seed
        np.random.RandomState(seed).shuffle(starts)
    windows = rows[starts[:, None] + np.arange(sequence_length) * sampling_rate]
    made = Dataset.from_tensor_slices(windows if targets is None else (windows, targets[starts]))
    if shuffle:
        made = made.shuffle(1024 if batch_size is None else batch_size * 8, seed=seed)
    return made if batch_size is None else made.batch(batch_size)


@named("tf.keras.utils.split_dataset")
def split_dataset(
    dataset: Any, left_size: Any = None, right_size: Any = None, shuffle: bool = False, seed: Any = None
) -> tuple[Any, Any]:
    """Returns a data set, or arrays, in two parts; sizes are counts, or fractions of the whole."""
    from penstock.tensorflow._dataset import Dataset

    made = dataset if isinstance(dataset, Dataset) else Dataset.from_tensor_slices(dataset)
    elements = list(made._elements())
    if left_size is None and right_size is None:
        raise ArgumentError("At least one of `left_size` or `right_size` must be specified. ", site=here())
    if shuffle:
        np.random.RandomState(np.random.randint(1_000_000) if seed is None else seed).shuffle(elements)
    count = len(elements)
    if left_size is None:
        left_size = count - _number(right_size, count)
    left = _number(left_size, count)
    right = count - left if right_size is None else _number(right_size, count)

    def part(rows: list[Any]) -> Any:
        return Dataset(lambda: iter(rows), len(rows), made._spec)

    return part(elements[:left]), part(elements[left : left + right])


def _number(size: Any, count: int) -> int:
    return round(size * count) if isinstance(size, float) else int(size)
