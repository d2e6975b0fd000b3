"""tf.keras.preprocessing.image: pictures in files, and batches of pictures that are changed at random."""

from __future__ import annotations

import os
from collections.abc import Iterator as _Iterator
from importlib import import_module as _import_module
from typing import Any

import numpy as np

from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras import _image_files
from penstock.tensorflow.keras._folders import _PICTURES, _below
from penstock.tensorflow.keras._indexed import PyDataset as _PyDataset
from penstock.trace.source_site import here as _here
from penstock.trace.source_site import warn as _warn


class Iterator(_PyDataset):
    """Batches of rows, for ever; or by number, as a data set for `fit`."""

    def __init__(self, n: int, batch_size: int, shuffle: bool, seed: Any) -> None:
        super().__init__()
        self.n, self.batch_size, self.shuffle, self.seed = n, batch_size, shuffle, seed
        self.batch_index = self.total_batches_seen = 0
        self.index_array: Any = None
        self._numbers = self._flow()

    def _set_order(self) -> None:
        self.index_array = np.random.permutation(self.n) if self.shuffle else np.arange(self.n)

    def _seed(self) -> None:
        if self.seed is not None:
            np.random.seed(self.seed + self.total_batches_seen)

    def __len__(self) -> int:
        return -(-self.n // self.batch_size)

    def __getitem__(self, index: int) -> Any:
        if index >= len(self):
            raise IndexError(f"Asked to retrieve element {index}, but the Sequence has length {len(self)}")
        self._seed()
        self.total_batches_seen += 1
        if self.index_array is None:
            self._set_order()
        return self._batch(self.index_array[self.batch_size * index : self.batch_size * (index + 1)])

    def on_epoch_end(self) -> None:
        """Shuffles again."""
        self._set_order()

    def reset(self) -> None:
        """Begins at the first batch."""
        self.batch_index = 0

    def _flow(self) -> _Iterator[Any]:
        while True:
            self._seed()
            if self.batch_index == 0:
                self._set_order()
            start = self.batch_index * self.batch_size % self.n if self.n else 0
            self.batch_index = self.batch_index + 1 if self.n > start + self.batch_size else 0
            self.total_batches_seen += 1
            yield self.index_array[start : start + self.batch_size]

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        return self._batch(next(self._numbers))

    def next(self) -> Any:
        """Returns the next batch."""
        return next(self)

    def _batch(self, rows: Any) -> Any:
        raise NotImplementedError


class NumpyArrayIterator(Iterator):
    """Batches of pictures in arrays; `ImageDataGenerator.flow` makes one."""

    def __init__(
        self, x: Any, y: Any, image_data_generator: Any, batch_size: int = 32, shuffle: bool = False,
        sample_weight: Any = None, seed: Any = None, subset: Any = None, saving: Any = None,
    ) -> None:  # fmt: skip
        columns: list[Any] = [np.asarray(x), None if y is None else np.asarray(y)]
        columns.append(None if sample_weight is None else np.asarray(sample_weight))
        lengths = {len(one) for one in columns if one is not None}
        if len(lengths) > 1:
            raise _ArgumentError(
                "`x` (images tensor) and `y` (labels) should have the same length. Found: "
                f"{', '.join(str(one.shape) for one in columns if one is not None)}",
                site=_here(),
            )
        if columns[0].ndim != 4:
            raise _ArgumentError(
                f"Input data in `NumpyArrayIterator` should have rank 4. You passed an array with shape "
                f"{columns[0].shape}",
                site=_here(),
            )
        if subset is not None:
            _check_subset(subset)
            first = int(len(columns[0]) * image_data_generator._validation_split)
            part = slice(None, first) if subset == "validation" else slice(first, None)
            columns = [None if one is None else one[part] for one in columns]
        self.x, self.y, self.sample_weight = columns
        self.x = self.x.astype(image_data_generator.dtype)
        self.image_data_generator, self._saving = image_data_generator, saving
        super().__init__(len(self.x), batch_size, shuffle, seed)

    def _batch(self, rows: Any) -> Any:
        made = np.stack([self.image_data_generator._changed(self.x[row]) for row in rows])
        _save(made, rows, self._saving, self.image_data_generator.data_format, 10_000)
        given = tuple(one[rows] for one in (self.y, self.sample_weight) if one is not None)
        return (made, *given) if given else made


class _FileIterator(Iterator):
    """Batches of pictures in files; a subclass finds `filepaths` and `classes`, or `labels`."""

    image_data_generator: Any
    class_mode: Any
    classes: Any
    filepaths: list[str]
    num_classes: int
    _loading: Any
    _saving: Any = None
    _sample_weight: Any = None

    def _batch(self, rows: Any) -> Any:
        mode, size, method, kept = self._loading
        own = self.image_data_generator
        pictures = [_image_files.load_img(self.filepaths[row], mode, size, method, kept) for row in rows]
        arrays = [_image_files.img_to_array(one, own.data_format) for one in pictures]
        made = np.stack([own._changed(one) for one in arrays]).astype(own.dtype)
        _save(made, rows, self._saving, own.data_format, 10_000_000)
        labels = self._labels_of(rows, made)
        if labels is None:
            return made
        if self._sample_weight is None:
            return made, labels
        return made, labels, self._sample_weight[rows]

    def _labels_of(self, rows: Any, pictures: Any) -> Any:
        dtype = self.image_data_generator.dtype
        if self.class_mode == "input":
            return pictures.copy()
        if self.class_mode in ("binary", "sparse"):
            return np.array([self.classes[row] for row in rows], dtype)
        if self.class_mode == "categorical":
            found = np.zeros((len(rows), self.num_classes), dtype)
            for place, row in enumerate(rows):
                found[place, self.classes[row]] = 1.0
            return found
        return None


def _save(pictures: Any, rows: Any, saving: Any, data_format: str, most: int) -> None:
    """Writes the pictures of a batch to a folder, each under its number and a draw of NumPy's."""
    if saving is None:
        return
    folder, prefix, kind = saving
    for picture, row in zip(pictures, rows, strict=True):
        name = f"{prefix}_{row}_{np.random.randint(most)}.{kind}"
        _image_files.array_to_img(picture, data_format, scale=True).save(os.path.join(folder, name))


class DirectoryIterator(_FileIterator):
    """Batches of the pictures in folders; `ImageDataGenerator.flow_from_directory` makes one."""

    def __init__(
        self, directory: Any, image_data_generator: Any, target_size: Any = (256, 256),
        color_mode: str = "rgb", classes: Any = None, class_mode: Any = "categorical",
        batch_size: int = 32, shuffle: bool = True, seed: Any = None, follow_links: bool = False,
        subset: Any = None, interpolation: str = "nearest", keep_aspect_ratio: bool = False,
        saving: Any = None,
    ) -> None:  # fmt: skip
        self._saving = saving
        if class_mode not in ("categorical", "binary", "sparse", "input", None):
            raise _ArgumentError(
                f"Invalid class_mode: {class_mode}; expected one of: categorical, binary, sparse, input, "
                f"None",
                site=_here(),
            )
        self.directory, self.class_mode = os.fspath(directory), class_mode
        self.image_data_generator, self.target_size = image_data_generator, tuple(target_size)
        self._loading = (color_mode, self.target_size, interpolation, keep_aspect_ratio)
        names = classes or sorted(
            name for name in os.listdir(self.directory) if os.path.isdir(os.path.join(self.directory, name))
        )
        self.class_indices = {name: number for number, name in enumerate(names)}
        self.num_classes = len(names)
        split, part = image_data_generator._validation_split, (0.0, 1.0)
        if subset is not None:
            _check_subset(subset)
            part = (0.0, split) if subset == "validation" else (split, 1.0)
        self.filepaths: list[str] = []
        found: list[int] = []
        for number, name in enumerate(names):
            below = _below(
                os.path.join(self.directory, name), (*_PICTURES, ".ppm", ".tif", ".tiff"), follow_links
            )
            kept = below[int(part[0] * len(below)) : int(part[1] * len(below))]
            self.filepaths += kept
            found += [number] * len(kept)
        self.filenames = [os.path.relpath(path, self.directory) for path in self.filepaths]
        self.classes = np.array(found, np.int32)
        self.samples = len(self.filepaths)
        print(f"Found {self.samples} images belonging to {self.num_classes} classes.")
        super().__init__(self.samples, batch_size, shuffle, seed)

    labels = property(lambda self: self.classes, doc="The number of the class of each picture.")


def _check_subset(subset: str) -> None:
    if subset not in ("training", "validation"):
        raise _ArgumentError(
            f'Invalid subset name: {subset};expected "training" or "validation".', site=_here()
        )


class ImageDataGenerator:
    """Batches of pictures that are turned, moved, zoomed, mirrored and scaled at random, by NumPy's draws.

    Affine changes are made by SciPy, and changes of the brightness by Pillow.

    >>> import numpy as np
    >>> from penstock import tensorflow as tf
    >>> image = tf.keras.preprocessing.image
    >>> rows = image.ImageDataGenerator(rescale=1 / 255).flow(np.full((4, 2, 2, 1), 255))
    >>> float(next(rows).max())
    1.0
    """

    def __init__(
        self,
        featurewise_center: bool = False,
        samplewise_center: bool = False,
        featurewise_std_normalization: bool = False,
        samplewise_std_normalization: bool = False,
        zca_whitening: bool = False,
        zca_epsilon: float = 1e-6,
        rotation_range: float = 0,
        width_shift_range: Any = 0.0,
        height_shift_range: Any = 0.0,
        brightness_range: Any = None,
        shear_range: float = 0.0,
        zoom_range: Any = 0.0,
        channel_shift_range: float = 0.0,
        fill_mode: str = "nearest",
        cval: float = 0.0,
        horizontal_flip: bool = False,
        vertical_flip: bool = False,
        rescale: Any = None,
        preprocessing_function: Any = None,
        data_format: Any = None,
        validation_split: float = 0.0,
        interpolation_order: int = 1,
        dtype: Any = None,
    ) -> None:
        pair = isinstance(brightness_range, tuple | list) and len(brightness_range) == 2
        if brightness_range is not None and not pair:
            raise _ArgumentError(
                f"`brightness_range should be tuple or list of two floats. Received: {brightness_range}",
                site=_here(),
            )
        if zca_whitening and not featurewise_center:
            _warn(
                "This ImageDataGenerator specifies `zca_whitening`, which overrides setting of "
                "`featurewise_center`."
            )
        if zca_whitening and featurewise_std_normalization:
            _warn(
                "This ImageDataGenerator specifies `zca_whitening` which overrides setting of"
                "`featurewise_std_normalization`."
            )
        self.brightness_range, self.zca_whitening = brightness_range, zca_whitening
        self.zca_epsilon = zca_epsilon
        self.zca_whitening_matrix: Any = None
        if validation_split and not 0 < validation_split < 1:
            raise _ArgumentError(
                f"`validation_split` must be strictly between 0 and 1.  Received: {validation_split}",
                site=_here(),
            )
        self.featurewise_center = featurewise_center or featurewise_std_normalization or zca_whitening
        self.featurewise_std_normalization = featurewise_std_normalization and not zca_whitening
        self.samplewise_center = samplewise_center or samplewise_std_normalization
        self.samplewise_std_normalization = samplewise_std_normalization
        self.rotation_range, self.shear_range = rotation_range, shear_range
        self.width_shift_range, self.height_shift_range = width_shift_range, height_shift_range
        alone = isinstance(zoom_range, int | float)
        self.zoom_range = [1 - zoom_range, 1 + zoom_range] if alone else list(zoom_range)
        self.channel_shift_range, self.fill_mode, self.cval = channel_shift_range, fill_mode, cval
        self.horizontal_flip, self.vertical_flip = horizontal_flip, vertical_flip
        self.rescale, self.preprocessing_function = rescale, preprocessing_function
        self.data_format = data_format or "channels_last"
        self.interpolation_order, self.dtype = interpolation_order, dtype or "float32"
        self._validation_split = validation_split
        self._axes = (0, 1, 2) if self.data_format == "channels_last" else (1, 2, 0)
        self.row_axis, self.col_axis, self.channel_axis = (one + 1 for one in self._axes)
        self.mean: Any = None
        self.std: Any = None

    def flow(
        self, x: Any, y: Any = None, batch_size: int = 32, shuffle: bool = True, sample_weight: Any = None,
        seed: Any = None, save_to_dir: Any = None, save_prefix: str = "", save_format: str = "png",
        ignore_class_split: bool = False, subset: Any = None,
    ) -> NumpyArrayIterator:  # fmt: skip
        """Returns batches of pictures in an array, with labels if there are."""
        saving = None if save_to_dir is None else (save_to_dir, save_prefix, save_format)
        if subset is not None and not ignore_class_split and y is not None and self._validation_split:
            first = int(len(x) * self._validation_split)
            if not np.array_equal(np.unique(y[:first]), np.unique(y[first:])):
                raise _ArgumentError(
                    "Training and validation subsets have different number of classes after the split. If "
                    "your "
                    "numpy arrays are sorted by the label, you might want to shuffle them.",
                    site=_here(),
                )
        return NumpyArrayIterator(x, y, self, batch_size, shuffle, sample_weight, seed, subset, saving)

    def flow_from_directory(
        self, directory: Any, target_size: Any = (256, 256), color_mode: str = "rgb", classes: Any = None,
        class_mode: Any = "categorical", batch_size: int = 32, shuffle: bool = True, seed: Any = None,
        save_to_dir: Any = None, save_prefix: str = "", save_format: str = "png", follow_links: bool = False,
        subset: Any = None, interpolation: str = "nearest", keep_aspect_ratio: bool = False,
    ) -> DirectoryIterator:  # fmt: skip
        """Returns batches of the pictures in a folder that has a folder for each class."""
        saving = None if save_to_dir is None else (save_to_dir, save_prefix, save_format)
        return DirectoryIterator(
            directory, self, target_size, color_mode, classes, class_mode, batch_size, shuffle, seed,
            follow_links, subset, interpolation, keep_aspect_ratio, saving,
        )  # fmt: skip

    def flow_from_dataframe(
        self, dataframe: Any, directory: Any = None, x_col: str = "filename", y_col: Any = "class",
        weight_col: Any = None, target_size: Any = (256, 256), color_mode: str = "rgb", classes: Any = None,
        class_mode: Any = "categorical", batch_size: int = 32, shuffle: bool = True, seed: Any = None,
        save_to_dir: Any = None, save_prefix: str = "", save_format: str = "png", subset: Any = None,
        interpolation: str = "nearest", validate_filenames: bool = True, **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Returns batches of the pictures whose files a table of pandas names, with labels of its columns.

        `kwargs` does nothing, as in Keras: `has_ext`, `sort`, `drop_duplicates` and others.
        """
        tables = _import_module("penstock.tensorflow.keras.preprocessing._table_pictures")
        saving = None if save_to_dir is None else (save_to_dir, save_prefix, save_format)
        return tables.DataFrameIterator(
            dataframe, directory, self, x_col, y_col, weight_col, target_size, color_mode, classes,
            "raw" if class_mode == "other" else class_mode, batch_size, shuffle, seed, saving, subset,
            interpolation, validate_filenames,
        )  # fmt: skip

    def standardize(self, x: Any) -> Any:
        """Returns a picture scaled and centred as the arguments say."""
        if self.preprocessing_function:
            x = self.preprocessing_function(x)
        if self.rescale:
            x = x * np.asarray(self.rescale, x.dtype)
        if self.samplewise_center:
            x = x - np.mean(x, keepdims=True)
        if self.samplewise_std_normalization:
            x = x / (np.std(x, keepdims=True) + 1e-6)
        if self.featurewise_center and self.mean is None:
            _warn(
                "This ImageDataGenerator specifies `featurewise_center`, but it hasn't been fit on any "
                "training "
                "data. Fit it first by calling `.fit(numpy_data)`."
            )
        elif self.featurewise_center:
            x = x - self.mean
            if self.featurewise_std_normalization:
                x = x / (self.std + 1e-6)
        if self.zca_whitening and self.zca_whitening_matrix is None:
            _warn(
                "This ImageDataGenerator specifies `zca_whitening`, but it hasn't been fit on any training "
                "data. Fit it first by calling `.fit(numpy_data)`."
            )
        elif self.zca_whitening:
            x = (x.reshape(-1, np.prod(x.shape[-3:])) @ self.zca_whitening_matrix).reshape(x.shape)
        return x

    def get_random_transform(self, img_shape: Any, seed: Any = None) -> dict[str, Any]:
        """Returns random numbers for a change of a picture of this shape."""
        if seed is not None:
            np.random.seed(seed)
        random = np.random
        theta = random.uniform(-self.rotation_range, self.rotation_range) if self.rotation_range else 0
        tx = _shift(self.height_shift_range, img_shape[self._axes[0]])
        ty = _shift(self.width_shift_range, img_shape[self._axes[1]])
        shear = random.uniform(-self.shear_range, self.shear_range) if self.shear_range else 0
        zoomed = self.zoom_range != [1, 1]
        zx, zy = random.uniform(self.zoom_range[0], self.zoom_range[1], 2) if zoomed else (1, 1)
        flips = [(random.random() < 0.5) * wanted for wanted in (self.horizontal_flip, self.vertical_flip)]
        reach, bright = self.channel_shift_range, self.brightness_range
        return {
            "theta": theta, "tx": tx, "ty": ty, "shear": shear, "zx": zx, "zy": zy,
            "flip_horizontal": flips[0], "flip_vertical": flips[1],
            "channel_shift_intensity": random.uniform(-reach, reach) if reach else None,
            "brightness": None if bright is None else random.uniform(bright[0], bright[1]),
        }  # fmt: skip

    def apply_transform(self, x: Any, transform_parameters: dict[str, Any]) -> Any:
        """Returns a picture changed by the numbers of get_random_transform."""
        row, column, _ = self._axes
        x = _moved(x, transform_parameters, self._axes, self.fill_mode, self.cval, self.interpolation_order)
        added = transform_parameters.get("channel_shift_intensity")
        if added is not None:
            x = np.clip(x + added, x.min(), x.max())
        if transform_parameters.get("flip_horizontal"):
            x = np.flip(x, column)
        if transform_parameters.get("flip_vertical"):
            x = np.flip(x, row)
        if transform_parameters.get("brightness") is not None:
            x = _image_files.brightened(x, transform_parameters["brightness"], False)
        return x

    def random_transform(self, x: Any, seed: Any = None) -> Any:
        """Returns a picture changed at random."""
        return self.apply_transform(x, self.get_random_transform(x.shape, seed))

    def _changed(self, picture: Any) -> Any:
        numbers = self.get_random_transform(picture.shape)
        return self.standardize(self.apply_transform(picture.astype(self.dtype), numbers))

    def fit(self, x: Any, augment: bool = False, rounds: int = 1, seed: Any = None) -> None:
        """Takes the mean and the deviation of each channel, for the `featurewise` arguments."""
        x = np.array(x, dtype=self.dtype)
        if x.ndim != 4:
            raise _ArgumentError(
                f"Input to `.fit()` should have rank 4. Got array with shape: {x.shape}", site=_here()
            )
        if seed is not None:
            np.random.seed(seed)
        if self.rescale:
            x = x * np.asarray(self.rescale, x.dtype)
        if augment:
            x = np.stack([self.random_transform(one) for _ in range(rounds) for one in x])
        axes = (0, self._axes[0] + 1, self._axes[1] + 1)
        if self.featurewise_center:
            self.mean = x.mean(axes, keepdims=True)[0]
        if self.featurewise_std_normalization:
            self.std = (x - self.mean).std(axes, keepdims=True)[0]
        if self.zca_whitening:
            flat = (x - self.mean).reshape(len(x), -1)
            vectors, values, _ = np.linalg.svd(flat.T, full_matrices=False)
            scaled = vectors * (np.sqrt(len(x)) / (values + self.zca_epsilon))
            self.zca_whitening_matrix = scaled.dot(vectors.T)


def _shift(reach: Any, length: int) -> Any:
    """Returns a random distance: of a list of them, up to a whole number, or up to a part of the length."""
    if not np.any(reach):
        return 0
    if isinstance(reach, float):
        moved = np.random.uniform(-reach, reach)
    else:
        moved = np.random.choice(reach)
        moved = moved * np.random.choice([-1, 1])
    return moved * length if np.max(reach) < 1 else moved


def _moved(
    x: Any, numbers: dict[str, Any], axes: tuple[int, int, int], mode: str, fill: float, order: int
) -> Any:
    """Returns a picture turned, moved, sheared and zoomed around its middle, in one affine change."""
    turn, slant = np.deg2rad(numbers.get("theta", 0)), np.deg2rad(numbers.get("shear", 0))
    tx, ty, zx, zy = (
        numbers.get(name, start) for name, start in (("tx", 0), ("ty", 0), ("zx", 1), ("zy", 1))
    )
    if not (turn or slant or tx or ty) and zx == 1 and zy == 1:
        return x
    cos, sin = np.cos(turn), np.sin(turn)
    matrix = np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
    matrix = matrix @ np.array([[1.0, 0.0, tx], [0.0, 1.0, ty], [0.0, 0.0, 1.0]])
    matrix = matrix @ np.array([[1.0, -np.sin(slant), 0.0], [0.0, np.cos(slant), 0.0], [0.0, 0.0, 1.0]])
    matrix = matrix @ np.diag([zx, zy, 1.0])
    row, column, channel = axes
    middle = x.shape[row] / 2 - 0.5, x.shape[column] / 2 - 0.5
    there, back = np.eye(3), np.eye(3)
    there[:2, 2], back[:2, 2] = middle, (-middle[0], -middle[1])
    matrix = there @ matrix @ back
    # The formulas are in x and y, arrays in rows and columns.
    matrix[:, [0, 1]] = matrix[:, [1, 0]]
    matrix[[0, 1]] = matrix[[1, 0]]
    from scipy.ndimage import affine_transform

    planes = [
        affine_transform(plane, matrix[:2, :2], matrix[:2, 2], order=order, mode=mode, cval=fill)
        for plane in np.moveaxis(x, channel, 0)
    ]
    return np.moveaxis(np.stack(planes), 0, channel)


__getattr__, __dir__, _public = _namespace(
    "tf.keras.preprocessing.image",
    globals(),
    "keras._image_files",
    rest="keras.preprocessing._changed_pictures",
)
