"""Batches of pictures whose files and labels are in a table of pandas."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras._folders import _PICTURES
from penstock.tensorflow.keras.preprocessing.image import _check_subset, _FileIterator
from penstock.trace.source_site import here, warn

_ENDINGS = (*_PICTURES, ".ppm", ".tif", ".tiff")
_MODES = ("binary", "categorical", "input", "multi_output", "raw", "sparse", None)
_WITHOUT_CLASSES = ("input", "multi_output", "raw", None)


class DataFrameIterator(_FileIterator):
    """Batches of the pictures that a table names; `ImageDataGenerator.flow_from_dataframe` makes one."""

    def __init__(
        self, dataframe: Any, directory: Any, image_data_generator: Any, x_col: str, y_col: Any,
        weight_col: Any, target_size: Any, color_mode: str, classes: Any, class_mode: Any, batch_size: int,
        shuffle: bool, seed: Any, saving: Any, subset: Any, interpolation: str, validate_filenames: bool,
    ) -> None:  # fmt: skip
        self.directory, self.class_mode = os.fspath(directory or ""), class_mode
        self.image_data_generator, self.target_size = image_data_generator, tuple(target_size)
        self._loading, self._saving = (color_mode, self.target_size, interpolation, False), saving
        self._check(dataframe, x_col, y_col, weight_col, classes)
        table = self._with_files(dataframe, x_col) if validate_filenames else dataframe.copy()
        named = class_mode not in _WITHOUT_CLASSES
        if named:
            table, classes = _of_classes(table, y_col, classes)
            self.class_indices = {name: number for number, name in enumerate(classes)}
            self.num_classes = len(classes)
        if subset is not None:
            _check_subset(subset)
            split = image_data_generator._validation_split
            part = (0.0, split) if subset == "validation" else (split, 1.0)
            table = table.iloc[int(part[0] * len(table)) : int(part[1] * len(table)), :]
        if named:
            self.classes = [self._numbers_of(label) for label in table[y_col]]
        self.filenames = table[x_col].tolist()
        self._sample_weight = table[weight_col].values if weight_col else None
        if class_mode == "multi_output":
            self._targets: Any = [np.array(table[column].tolist()) for column in y_col]
        elif class_mode == "raw":
            self._targets = table[y_col].values
        self.samples = len(self.filenames)
        validated = "validated" if validate_filenames else "non-validated"
        belonging = f" belonging to {self.num_classes} classes" if named else ""
        print(f"Found {self.samples} {validated} image filenames{belonging}.")
        self.filepaths = [os.path.join(self.directory, name) for name in self.filenames]
        super().__init__(self.samples, batch_size, shuffle, seed)

    @property
    def labels(self) -> Any:
        """The labels of all pictures: numbers of classes, or the values of the columns."""
        return self._targets if self.class_mode in ("multi_output", "raw") else self.classes

    @property
    def sample_weight(self) -> Any:
        """The weights of all pictures; None without a column of them."""
        return self._sample_weight

    def _labels_of(self, rows: Any, pictures: Any) -> Any:
        if self.class_mode == "multi_output":
            return [one[rows] for one in self._targets]
        if self.class_mode == "raw":
            return self._targets[rows]
        return super()._labels_of(rows, pictures)

    def _numbers_of(self, label: Any) -> Any:
        if isinstance(label, list | tuple):
            return [self.class_indices[one] for one in label]
        return self.class_indices[label]

    def _check(self, table: Any, x_col: str, y_col: Any, weight_col: Any, classes: Any) -> None:
        """Raises an error where the columns do not fit the mode, as Keras does."""
        mode = self.class_mode
        if mode not in _MODES:
            raise ArgumentError(f"Invalid class_mode: {mode}; expected one of: {set(_MODES)}", site=here())
        if mode == "multi_output" and not isinstance(y_col, list):
            raise TypeError(f'If class_mode="{mode}", y_col must be a list. Received {type(y_col).__name__}.')
        if not all(isinstance(one, str) for one in table[x_col]):
            raise TypeError(f"All values in column x_col={x_col} must be strings.")
        if mode in ("binary", "sparse") and not all(isinstance(one, str) for one in table[y_col]):
            raise TypeError(f'If class_mode="{mode}", y_col="{y_col}" column values must be strings.')
        if mode == "binary":
            count = len(set(classes)) if classes else table[y_col].nunique()
            if count != 2:
                given = f"{count} class/es were given." if classes else f"Found {count} classes."
                raise ArgumentError(f'If class_mode="binary" there must be 2 classes. {given}', site=here())
        if mode == "categorical" and not all(isinstance(one, str | list | tuple) for one in table[y_col]):
            raise TypeError(
                f'If class_mode="{mode}", y_col="{y_col}" column values must be type string, list or tuple.'
            )
        if classes and mode in _WITHOUT_CLASSES:
            warn(f'`classes` will be ignored given the class_mode="{mode}"')
        if weight_col and not issubclass(table[weight_col].dtype.type, np.number):
            raise TypeError(f"Column weight_col={weight_col} must be numeric.")

    def _with_files(self, table: Any, x_col: str) -> Any:
        """Returns the rows whose files are pictures that exist."""
        paths = [os.path.join(self.directory, name) for name in table[x_col]]
        kept = np.array([path.lower().endswith(_ENDINGS) and os.path.isfile(path) for path in paths], bool)
        missing = int((~kept).sum())
        if missing:
            warn(
                f'Found {missing} invalid image filename(s) in x_col="{x_col}". These filename(s) will be '
                "ignored."
            )
        return table[kept]


def _of_classes(table: Any, y_col: str, classes: Any) -> tuple[Any, list[Any]]:
    """Returns the rows of these classes, or of all that the labels name, and the classes in order."""
    table = table.copy()
    if not classes:
        found = {one for label in table[y_col] for one in (label if _several(label) else [label])}
        return table.dropna(subset=[y_col]), sorted(found)
    listed = list(dict.fromkeys(classes))

    def kept(label: Any) -> Any:
        if _several(label):
            return [one for one in label if one in listed] or None
        return label if label in listed else None

    table[y_col] = table[y_col].apply(kept)
    return table.dropna(subset=[y_col]), listed


def _several(label: Any) -> bool:
    return isinstance(label, list | tuple)


__all__ = ["DataFrameIterator"]
