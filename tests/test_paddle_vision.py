"""Data sets of images under Paddle's names: files on this machine, and what is said where there are none."""

import gzip
import io
import pickle
import struct
import tarfile

import numpy as np
import pytest

from penstock import paddle
from penstock.errors import PenstockError
from penstock.paddle.vision import datasets, transforms

PILLOW = pytest.importorskip("PIL.Image")


def digits(folder, count, start="train", packed=True):
    folder.mkdir(parents=True, exist_ok=True)
    images = np.arange(count * 784).reshape(count, 28, 28).astype(np.uint8)
    labels = (np.arange(count) % 10).astype(np.uint8)
    for array, kind in ((images, "images-idx3"), (labels, "labels-idx1")):
        head = struct.pack(">I", 0x0800 + array.ndim) + struct.pack(f">{array.ndim}I", *array.shape)
        content = head + array.tobytes()
        path = folder / f"{start}-{kind}-ubyte{'.gz' if packed else ''}"
        path.write_bytes(gzip.compress(content) if packed else content)
    return images, labels


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize(("kind", "folder"), [("MNIST", "mnist"), ("FashionMNIST", "fashion-mnist")])
def test_digits_are_read_from_the_files_where_paddle_keeps_them(tmp_path, monkeypatch, kind, folder, packed):
    monkeypatch.setenv("PADDLE_DATA_HOME", str(tmp_path))
    images, labels = digits(tmp_path / folder, 5, packed=packed)
    data = getattr(datasets, kind)(mode="train", transform=transforms.ToTensor())
    assert len(data) == 5
    picture, label = data[3]
    np.testing.assert_allclose(picture.numpy()[0], images[3] / np.float32(255), rtol=1e-6)
    assert label.tolist() == [labels[3]] and label.dtype == np.int64
    batch = next(iter(paddle.io.DataLoader(data, batch_size=4)))
    assert [list(one.shape) for one in batch] == [[4, 1, 28, 28], [4, 1]]
    plain = getattr(datasets, kind)(mode="train", backend="cv2")[2][0]
    assert plain.dtype == np.float32 and (plain == images[2]).all()


def test_missing_data_says_where_it_was_looked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("PADDLE_DATA_HOME", str(tmp_path))
    with pytest.raises(PenstockError) as caught:
        datasets.MNIST(mode="test")
    for word in ("MNIST", str(tmp_path / "mnist" / "t10k-images-idx3-ubyte.gz"), "image_path", "downloads"):
        assert word in str(caught.value)


@pytest.mark.parametrize(("kind", "key"), [("Cifar10", b"labels"), ("Cifar100", b"fine_labels")])
def test_pictures_in_colour_are_read_from_the_archive(tmp_path, kind, key):
    pixels = np.arange(2 * 3072).reshape(2, 3072).astype(np.uint8)
    part = pickle.dumps({b"data": pixels, key: [7, 3]}, protocol=4)
    path = tmp_path / "archive.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo("folder/" + ("test_batch" if kind == "Cifar10" else "test"))
        member.size = len(part)
        archive.addfile(member, io.BytesIO(part))
    data = getattr(datasets, kind)(str(path), mode="test")
    picture, label = data[1]
    assert picture.size == (32, 32) and int(label) == 3
    assert (np.asarray(picture) == pixels[1].reshape(3, 32, 32).transpose(1, 2, 0)).all()


def test_folders_are_classes(tmp_path):
    for name in ("cat", "dog"):
        (tmp_path / name).mkdir()
        for i in range(2):
            PILLOW.new("RGB", (4, 3), (i, 0, 0)).save(tmp_path / name / f"{i}.png")
    data = datasets.DatasetFolder(str(tmp_path), transform=transforms.ToTensor())
    assert (data.classes, len(data), data[3][1]) == (["cat", "dog"], 4, 1)
    assert list(data[0][0].shape) == [3, 3, 4]
    assert len(datasets.ImageFolder(str(tmp_path))) == 4


def test_a_model_trains_on_a_data_set(tmp_path, monkeypatch):
    monkeypatch.setenv("PADDLE_DATA_HOME", str(tmp_path))
    digits(tmp_path / "mnist", 8)
    paddle.seed(1)
    model = paddle.vision.models.LeNet()
    optimizer = paddle.optimizer.Adam(0.001, parameters=model.parameters())
    loader = paddle.io.DataLoader(datasets.MNIST(transform=transforms.ToTensor()), batch_size=8)
    losses = []
    for _ in range(12):
        for image, label in loader:
            loss = paddle.nn.functional.cross_entropy(model(image), label)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            losses.append(float(loss))
    assert losses[-1] < losses[0]


def test_weights_are_not_downloaded():
    with pytest.raises(NotImplementedError, match="set_state_dict"):
        paddle.vision.models.resnet18(pretrained=True)
