"""Image data sets under Paddle's names: local files, and the messages if there are none."""

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


def packed(path, members):
    with tarfile.open(path, "w:gz" if path.suffix == ".tgz" else "w") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def picture_of(array, kind):
    content = io.BytesIO()
    PILLOW.fromarray(array).save(content, kind)
    return content.getvalue()


def test_flowers_are_read_from_the_files_where_paddle_keeps_them(tmp_path, monkeypatch):
    savemat = pytest.importorskip("scipy.io").savemat
    monkeypatch.setenv("PADDLE_DATA_HOME", str(tmp_path))
    folder = tmp_path / "flowers"
    with pytest.raises(PenstockError, match=r"102flowers\.tgz"):
        datasets.Flowers()
    folder.mkdir()
    flat = [np.full((8, 6, 3), 30 * i, np.uint8) for i in range(5)]
    packed(
        folder / "102flowers.tgz",
        {f"jpg/image_{i + 1:05}.jpg": picture_of(one, "JPEG") for i, one in enumerate(flat)},
    )
    with pytest.raises(PenstockError, match=r"imagelabels\.mat(?s:.)*label_file"):
        datasets.Flowers()
    savemat(folder / "imagelabels.mat", {"labels": np.array([[9, 8, 7, 6, 5]], np.uint8)})
    savemat(folder / "setid.mat", {"trnid": [[1]], "valid": [[2]], "tstid": [[5, 3, 4]]})
    assert [len(datasets.Flowers(mode=mode)) for mode in ("train", "valid", "test")] == [3, 1, 1]
    data = datasets.Flowers()
    picture, label = data[0]
    assert (picture.size, label.tolist(), label.dtype) == ((6, 8), [5], np.int64)
    assert abs(int(np.asarray(picture)[0, 0, 0]) - 120) <= 2
    arrays = datasets.Flowers(backend="cv2")
    assert arrays[1][0].dtype == np.float32 and abs(arrays[1][0].mean() - 60) <= 2
    images, labels = next(
        iter(paddle.io.DataLoader(datasets.Flowers(transform=transforms.ToTensor()), batch_size=3))
    )
    assert (list(images.shape), labels.tolist()) == ([3, 3, 8, 6], [[5], [7], [6]])
    assert [one.name for one in sorted(folder.iterdir()) if one.is_dir()] == ["102flowers"]
    with pytest.raises(AssertionError, match="mode should be one of train, valid, test"):
        datasets.Flowers(mode="all")


def test_pictures_of_the_challenge_come_with_their_classes(tmp_path, monkeypatch):
    monkeypatch.setenv("PADDLE_DATA_HOME", str(tmp_path))
    with pytest.raises(PenstockError, match=r"VOC2012(?s:.)*VOCtrainval_11-May-2012\.tar(?s:.)*data_file"):
        datasets.VOC2012()
    parts = {"trainval": "b\na\nc\n", "train": "a\nc\n", "val": "b\n"}
    members = {f"ImageSets/Segmentation/{name}.txt": text.encode() for name, text in parts.items()}
    for i, name in enumerate("abc"):
        members[f"JPEGImages/{name}.jpg"] = picture_of(np.full((8, 6, 3), 40 * i, np.uint8), "JPEG")
        members[f"SegmentationClass/{name}.png"] = picture_of(np.full((8, 6), i, np.uint8), "PNG")
    path = tmp_path / "archive.tar"
    packed(path, {f"VOCdevkit/VOC2012/{name}": content for name, content in members.items()})
    lengths = [len(datasets.VOC2012(str(path), mode=mode)) for mode in ("train", "test", "valid")]
    assert lengths == [3, 2, 1]
    picture, classes = datasets.VOC2012(str(path), mode="test")[1]
    assert (picture.size, classes.size, set(np.asarray(classes).ravel())) == ((6, 8), (6, 8), {2})
    arrays = datasets.VOC2012(str(path), backend="cv2", transform=np.sqrt)
    image, classes = pickle.loads(pickle.dumps(arrays))[0]
    assert image.dtype == classes.dtype == np.float32 and image.max() < 7 and set(classes.ravel()) == {1}
    compressed = tmp_path / "archive.tar.gz"
    compressed.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(PenstockError, match="no uncompressed tar archive"):
        datasets.VOC2012(str(compressed))


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
