"""Files that Paddle has downloaded are found where it keeps them, and nothing is downloaded."""

import hashlib
import os
import tarfile
import zipfile

import pytest

from penstock.errors import PenstockError
from penstock.paddle import _downloads

ADDRESS = "https://example.org/models/"


def test_weights_are_found_where_paddle_keeps_them(tmp_path, monkeypatch):
    monkeypatch.setattr(_downloads, "WEIGHTS_HOME", str(tmp_path))
    with pytest.raises(PenstockError, match=r"small\.pdparams is not on this machine") as raised:
        _downloads.get_weights_path_from_url(f"{ADDRESS}small.pdparams")
    assert str(tmp_path) in str(raised.value) and "Put the file there" in str(raised.value)
    file = tmp_path / "small.pdparams"
    file.write_bytes(b"weights")
    checksum = hashlib.md5(b"weights").hexdigest()
    assert _downloads.get_weights_path_from_url(f"{ADDRESS}small.pdparams", checksum) == str(file)
    with pytest.raises(PenstockError, match="has the checksum"):
        _downloads.get_weights_path_from_url(f"{ADDRESS}small.pdparams", "0" * 32)
    with pytest.raises(AssertionError, match="not a url"):
        _downloads.get_weights_path_from_url("small.pdparams")


def test_what_is_packed_is_unpacked_beside_the_archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "several.zip", "w") as archive:
        archive.writestr("a.txt", "x")
        archive.writestr("b.txt", "y")
    with zipfile.ZipFile(tmp_path / "single.zip", "w") as archive:
        archive.writestr("only.txt", "x")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "c.txt").write_text("z")
    with tarfile.open(tmp_path / "folder.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "own", "inside")
    found = {
        name: os.path.relpath(_downloads.get_path_from_url(ADDRESS + name, str(tmp_path)), tmp_path)
        for name in ("several.zip", "single.zip", "folder.tar.gz")
    }
    assert found == {"several.zip": "several", "single.zip": "only.txt", "folder.tar.gz": "inside"}
    assert sorted(os.listdir(tmp_path / "several")) == ["a.txt", "b.txt"]
    kept = _downloads.get_path_from_url(f"{ADDRESS}single.zip", str(tmp_path), decompress=False)
    assert kept == str(tmp_path / "single.zip")


def test_programs_import_the_path_from_the_module_of_paddle():
    from penstock.paddle.utils import download

    assert download.get_weights_path_from_url is _downloads.get_weights_path_from_url
