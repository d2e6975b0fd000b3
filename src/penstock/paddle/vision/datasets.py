"""Data sets of images from files on this machine, in the folders where Paddle keeps its downloads."""

from __future__ import annotations

import gzip
import io
import os
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from penstock.errors import PenstockError
from penstock.paddle._dtype import default_dtype
from penstock.paddle._names import namespace as _namespace
from penstock.paddle._paths import paths_to
from penstock.paddle._saving import Arrays
from penstock.paddle.io import Dataset
from penstock.paddle.vision._images import get_image_backend, image_load, pillow
from penstock.trace.source_site import here

_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def _home() -> Path:
    """Returns where Paddle keeps the data that it has downloaded."""
    return Path(os.environ.get("PADDLE_DATA_HOME", Path.home() / ".cache" / "paddle" / "dataset"))


def _found_at(given: Any, module: str, names: tuple[str, ...], what: str, argument: str) -> Path:
    """Returns the file of a data set: the one given, or one of those that Paddle would have downloaded."""
    places = [Path(given)] if given else [_home() / module / name for name in names]
    for one in places:
        if one.is_file():
            return one
    raise PenstockError(
        f"{what} is not on this machine.",
        origin=f"looked for {' and '.join(map(str, places))}",
        why="Penstock downloads no data.",
        remedy=f"Put the file there, or pass {argument}=. On a machine with Paddle, running the script once "
        "puts it there.",
        site=here(),
    )


def _mode_in(mode: str, allowed: tuple[str, ...]) -> str:
    if mode.lower() not in allowed:
        raise AssertionError(f"mode should be one of {', '.join(allowed)}, but got {mode}")
    return mode.lower()


def _backend_in(backend: str | None) -> str:
    backend = get_image_backend() if backend is None else backend
    if backend not in ("pil", "cv2"):
        raise ValueError(f"Expected backend are one of ['pil', 'cv2'], but got {backend}")
    return backend


class MNIST(Dataset):
    """Handwritten digits: images of 28 x 28 bytes, each with a label [1], from the files of LeCun's page.

    Items are a Pillow image, or with `backend="cv2"` an array of float32, changed by `transform`, and a
    label. Nothing is downloaded: `download` does nothing. Raises PenstockError where the files are not there.
    """

    NAME = "mnist"

    def __init__(
        self, image_path: str | None = None, label_path: str | None = None, mode: str = "train",
        transform: Callable[[Any], Any] | None = None, download: bool = True, backend: str | None = None,
    ) -> None:  # fmt: skip
        self.mode, self.backend = _mode_in(mode, ("train", "test")), _backend_in(backend)
        start = "train" if self.mode == "train" else "t10k"
        what = f"The {type(self).__name__} data set ({self.mode})"
        files = [
            _found_at(given, self.NAME, (f"{start}-{kind}-ubyte.gz", f"{start}-{kind}-ubyte"), what, argument)
            for given, kind, argument in (
                (image_path, "images-idx3", "image_path"), (label_path, "labels-idx1", "label_path"),
            )
        ]  # fmt: skip
        self.image_path, self.label_path = map(str, files)
        self.transform, self.dtype = transform, "float32"
        self.images, labels = (_read_idx(one) for one in files)
        self.labels = labels.astype(np.int64).reshape(-1, 1)

    def __getitem__(self, idx: int) -> Any:
        image, label = self.images[idx], self.labels[idx]
        picture = pillow().fromarray(image) if self.backend == "pil" else image.astype(np.float32)
        if self.transform is not None:
            picture = self.transform(picture)
        return picture, label

    def __len__(self) -> int:
        return len(self.labels)


class FashionMNIST(MNIST):
    """Pieces of clothing, in files like those of MNIST."""

    NAME = "fashion-mnist"


def _read_idx(path: Path) -> Any:
    content = path.read_bytes()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    rank = content[3]
    lengths = np.frombuffer(content, ">i4", rank, 4)
    return np.frombuffer(content, np.uint8, int(np.prod(lengths)), 4 + 4 * rank).reshape(lengths)


class Cifar10(Dataset):
    """Images of 32 x 32 bytes in three colours, each with a label, from the archive of Krizhevsky's page.

    Items are a Pillow image, or with `backend="cv2"` an array of float32, changed by `transform`, and a
    label. Nothing is downloaded: `download` does nothing. Raises PenstockError where it is not there.
    """

    FILE, LABELS = "cifar-10-python.tar.gz", b"labels"
    PARTS = {"train": "data_batch", "test": "test_batch"}  # noqa: RUF012

    def __init__(
        self, data_file: str | None = None, mode: str = "train",
        transform: Callable[[Any], Any] | None = None, download: bool = True, backend: str | None = None,
    ) -> None:  # fmt: skip
        self.mode, self.backend = _mode_in(mode, ("train", "test")), _backend_in(backend)
        path = _found_at(data_file, "cifar", (self.FILE,), f"The {type(self).__name__} data set", "data_file")
        self.data_file, self.transform, self.dtype = str(path), transform, "float32"
        self.data = list(self._read(path))

    def _read(self, path: Path) -> Iterator[tuple[Any, int]]:
        with tarfile.open(path) as archive:
            names = sorted(one.name for one in archive if self.PARTS[self.mode] in one.name)
            for name in names:
                member: Any = archive.extractfile(name)
                part = Arrays(io.BytesIO(member.read()), encoding="bytes").load()
                yield from zip(part[b"data"], part[self.LABELS], strict=True)

    def __getitem__(self, idx: int) -> Any:
        image, label = self.data[idx]
        image = np.asarray(image).reshape(3, 32, 32).transpose(1, 2, 0)
        picture = (
            pillow().fromarray(image.astype(np.uint8)) if self.backend == "pil" else image.astype(np.float32)
        )
        if self.transform is not None:
            picture = self.transform(picture)
        return picture, np.asarray(label).astype(np.int64)

    def __len__(self) -> int:
        return len(self.data)


class Cifar100(Cifar10):
    """Images like those of Cifar10, of a hundred kinds."""

    FILE, LABELS = "cifar-100-python.tar.gz", b"fine_labels"
    PARTS = {"train": "train", "test": "test"}  # noqa: RUF012


class Flowers(Dataset):
    """Photographs of flowers of 102 kinds, each with a label [1] from 1 to 102, from Oxford's files.

    The pictures are unpacked beside their archive, as Paddle does, unless they are there; SciPy reads the
    labels. As in Paddle, `mode="train"` takes the larger part, which its authors meant for tests. Items are
    a Pillow image, or with `backend="cv2"` an array of the default dtype, changed by `transform`, and a
    label. Nothing is downloaded: `download` does nothing. Raises PenstockError where a file, or SciPy, is
    not there.
    """

    PARTS = {"train": "tstid", "test": "trnid", "valid": "valid"}  # noqa: RUF012

    def __init__(
        self, data_file: str | None = None, label_file: str | None = None, setid_file: str | None = None,
        mode: str = "train", transform: Callable[[Any], Any] | None = None, download: bool = True,
        backend: str | None = None,
    ) -> None:  # fmt: skip
        self.mode, self.backend = _mode_in(mode, ("train", "valid", "test")), _backend_in(backend)
        archive, labels, parts = (
            _found_at(given, "flowers", (name,), "The Flowers data set", argument)
            for given, name, argument in (
                (data_file, "102flowers.tgz", "data_file"), (label_file, "imagelabels.mat", "label_file"),
                (setid_file, "setid.mat", "setid_file"),
            )
        )  # fmt: skip
        self.transform, self.data_path = transform, str(_unpacked(archive, "jpg"))
        self.labels = _of_matlab(labels)["labels"][0]
        self.indexes = _of_matlab(parts)[self.PARTS[self.mode]][0]

    def __getitem__(self, idx: int) -> Any:
        number = int(self.indexes[idx])
        label = np.array([self.labels[number - 1]], np.int64)
        picture = pillow().open(Path(self.data_path) / "jpg" / f"image_{number:05}.jpg")
        return _changed(picture, self.backend, self.transform), label

    def __len__(self) -> int:
        return len(self.indexes)


class VOC2012(Dataset):
    """Photographs with a picture that gives each place its class, from the archive of the PASCAL challenge.

    As in Paddle, `mode="train"` takes the pictures of both parts, "test" those for training and "valid" those
    for validation. Items are two Pillow images, or with `backend="cv2"` two arrays of the default dtype;
    `transform` changes the first. Nothing is downloaded: `download` does nothing. Raises PenstockError where
    the file is not there.
    """

    PARTS = {"train": "trainval", "test": "train", "valid": "val"}  # noqa: RUF012

    def __init__(
        self, data_file: str | None = None, mode: str = "train",
        transform: Callable[[Any], Any] | None = None, download: bool = True, backend: str | None = None,
    ) -> None:  # fmt: skip
        self.mode, self.backend = _mode_in(mode, ("train", "valid", "test")), _backend_in(backend)
        names = ("VOCtrainval_11-May-2012.tar",)
        self.data_file = str(_found_at(data_file, "voc2012", names, "The VOC2012 data set", "data_file"))
        self.flag, self.transform, self.dtype = self.PARTS[self.mode], transform, default_dtype().name
        self._places = _places_in(self.data_file)
        found = self._read(f"ImageSets/Segmentation/{self.flag}.txt").decode().split()
        self.data = [f"JPEGImages/{one}.jpg" for one in found]
        self.labels = [f"SegmentationClass/{one}.png" for one in found]

    def _read(self, name: str) -> bytes:
        # A file opened here is shared with no other process of a loader.
        with open(self.data_file, "rb") as file:
            start, length = self._places[f"VOCdevkit/VOC2012/{name}"]
            file.seek(start)
            return file.read(length)

    def __getitem__(self, idx: int) -> Any:
        picture, label = (pillow().open(io.BytesIO(self._read(one[idx]))) for one in (self.data, self.labels))
        return _changed(picture, self.backend, self.transform), _changed(label, self.backend, None)

    def __len__(self) -> int:
        return len(self.data)


def _changed(picture: Any, backend: str, transform: Callable[[Any], Any] | None) -> Any:
    """Returns a picture in the form of a data set's items: `cv2` means arrays of the default dtype."""
    found = np.array(picture) if backend == "cv2" else picture
    found = found if transform is None else transform(found)
    return found.astype(default_dtype().name) if backend == "cv2" else found


def _places_in(archive: str) -> dict[str, tuple[int, int]]:
    """Returns where the content of each file of an archive begins, and its length."""
    try:
        with tarfile.open(archive, "r:") as found:
            return {one.name: (one.offset_data, one.size) for one in found}
    except tarfile.ReadError as error:
        raise PenstockError(
            f"{archive} is no uncompressed tar archive: {error}.",
            why="Pictures are read from their places in the archive.",
            remedy="Unpack a compressed one with gunzip, or get the file again.",
            site=here(),
        ) from None


def _unpacked(archive: Path, folder: str) -> Path:
    """Returns the folder of an unpacked archive, next to it; unpacks it unless `folder` exists."""
    place = archive.with_suffix("")
    if place == archive:
        place = archive.with_name(f"{archive.name}.unpacked")
    if not (place / folder).exists():
        with tarfile.open(archive) as packed, tempfile.TemporaryDirectory(dir=archive.parent) as partial:
            # An interrupt leaves no half of it behind.
            packed.extractall(partial, filter="data")
            place.mkdir(exist_ok=True)
            (Path(partial) / folder).rename(place / folder)
    return place


def _of_matlab(path: Path) -> Any:
    try:
        from scipy.io import loadmat
    except ImportError:
        raise PenstockError(
            f"{path.name} is a file of MATLAB, which SciPy reads, and SciPy is not installed.",
            remedy="Install it: pip install scipy.",
            site=here(),
        ) from None
    return loadmat(path)


class DatasetFolder(Dataset):
    """Files in folders, each named after its class: items are what `loader` reads, and the class's number."""

    def __init__(
        self, root: str, loader: Callable[[str], Any] | None = None, extensions: Any = None,
        transform: Callable[[Any], Any] | None = None, is_valid_file: Callable[[str], bool] | None = None,
    ) -> None:  # fmt: skip
        self.root, self.transform = root, transform
        self.loader = image_load if loader is None else loader
        self.extensions = extensions or _EXTENSIONS
        self.classes = sorted(one.name for one in Path(root).iterdir() if one.is_dir())
        self.class_to_idx = {name: i for i, name in enumerate(self.classes)}
        self.samples = [
            (path, self.class_to_idx[name])
            for name in self.classes
            for path in _files(Path(root) / name, self.extensions, is_valid_file)
        ]
        if not self.samples:
            raise RuntimeError(f"Found 0 directories in subfolders of: {root}")
        self.targets = [target for _, target in self.samples]

    def __getitem__(self, index: int) -> Any:
        path, target = self.samples[index]
        sample = self.loader(path)
        return (sample if self.transform is None else self.transform(sample)), target

    def __len__(self) -> int:
        return len(self.samples)


class ImageFolder(DatasetFolder):
    """Files in a folder and its subfolders: items are lists of the results of `loader`."""

    def __init__(
        self, root: str, loader: Callable[[str], Any] | None = None, extensions: Any = None,
        transform: Callable[[Any], Any] | None = None, is_valid_file: Callable[[str], bool] | None = None,
    ) -> None:  # fmt: skip
        self.root, self.transform = root, transform
        self.loader = image_load if loader is None else loader
        self.extensions = extensions or _EXTENSIONS
        self.samples = _files(Path(root), self.extensions, is_valid_file)  # type: ignore[assignment]
        if not self.samples:
            raise RuntimeError(f"Found 0 files in subfolders of: {root}")

    def __getitem__(self, index: int) -> Any:
        sample = self.loader(self.samples[index])  # type: ignore[arg-type]
        return [sample if self.transform is None else self.transform(sample)]


def _files(folder: Path, extensions: Any, is_valid_file: Callable[[str], bool] | None) -> list[str]:
    wanted = is_valid_file or (lambda path: path.lower().endswith(tuple(extensions)))
    return [str(one) for one in sorted(folder.rglob("*")) if one.is_file() and wanted(str(one))]


paths_to(sys.modules[__name__], "mnist cifar flowers folder voc2012")


__getattr__, __dir__, __all__ = _namespace("paddle.vision.datasets", globals())
_ORDER = [
    "DatasetFolder",
    "ImageFolder",
    "MNIST",
    "FashionMNIST",
    "Flowers",
    "Cifar10",
    "Cifar100",
    "VOC2012",
]
__all__ = sorted(__all__, key=_ORDER.index)  # As Paddle lists them: programs print the list.
