"""Files that are damaged, in every way and place: CheckpointError, and nothing is changed."""

import json
import random
import zlib

import numpy as np
import pytest

import damage
import penstock as ps
from penstock.errors import CheckpointError
from penstock.functions import keys

pytest.importorskip("safetensors")
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

TRIES = 300
MADE = ("groups", "rule", "site")
"""Attributes of an optimizer that are worked out from its numbers, or never change."""


class Net:
    """A model with most parts that a checkpoint can hold: statistics, its own seed, slots, ties."""

    def __init__(self, rate):
        self.model = ps.layers.Sequential(
            [
                ps.layers.Dense(5, activation="relu", name="a"),
                ps.layers.BatchNormalization(name="n"),
                ps.layers.Dropout(0.5, seed=7, name="d"),
                ps.layers.Dense(3, name="b"),
            ],
            name="net",
        )
        self.phase = ps.Variable(np.array([1 + 2j]), name="phase", trainable=False)
        self.optimizer = ps.optimizers.Adam(
            rate,
            name="adam",
            gradient_accumulation_steps=2,
            use_ema=True,
            groups={"*/bias": {"epsilon": 1e-3}},
        )
        self.train()

    def train(self):
        with ps.GradientTape() as tape:
            loss = ps.sum(self.model(np.ones((2, 4), np.float32), training=True) ** 2)
        wanted = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, wanted), wanted))

    def things(self):
        return {"model": self.model, "tied": self.phase, "phase": self.phase, "optimizer": self.optimizer}

    def state(self):
        stream = next(iter(self.model._streams().values()))
        own = [*self.model.variables, self.phase, *self.optimizer.variables]
        values = {one.path: np.asarray(one.numpy()).tobytes() for one in own}
        numbers, group = (
            {name: one for name, one in vars(owner).items() if name[0] != "_" and name not in MADE}
            for owner in (self.optimizer, self.optimizer.groups["*/bias"])
        )
        return values, numbers, group, self.optimizer.applied, stream.seed, stream.drawn


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """The bytes of a complete file."""
    path = tmp_path_factory.mktemp("whole") / "whole"
    net = Net(0.01)
    net.train()
    ps.save(path, **net.things(), epoch=3, note="x")
    return path.read_bytes()


def tried(path, net, damaged):
    """Returns whether a damaged file loads; it raises CheckpointError otherwise, and changes nothing."""
    # Another file each time: overwriting a file makes some systems wait for the disk.
    path.unlink(missing_ok=True)
    path.write_bytes(damaged)
    before, random_before = net.state(), (keys.generator.seed, keys.generator.number)
    try:
        ps.load(path, **net.things())
    except CheckpointError as error:
        assert error.site is not None and error.site.file == __file__
        assert net.state() == before, str(error)
        assert random_before == (keys.generator.seed, keys.generator.number)
        return False
    return True


@pytest.mark.parametrize(
    "way", [*damage.BYTES, *damage.PARTS, *damage.NOTES[:3]], ids=lambda one: one.__name__
)
def test_a_damaged_file_is_refused(tmp_path, content, way):
    """Whatever a file has lost or changed: the values that still load are unchanged."""
    net, whole = Net(0.02), Net(0.02)
    assert tried(tmp_path / "whole", whole, content)
    chance = random.Random(way.__name__)
    for _ in range(TRIES // 10):
        if tried(tmp_path / "damaged", net, way(damage.File(content), chance)):
            assert net.state() == whole.state()
            net = Net(0.02)


@pytest.mark.parametrize("writer", [damage.without_checksums, damage.signed], ids=lambda one: one.__name__)
def test_without_the_help_of_checksums_nothing_is_half_loaded(tmp_path, content, writer):
    """As in files of earlier versions, or of a program that updates the checksum after a change."""
    chance = random.Random(0)
    whole = writer(content)
    net, loads = Net(0.02), 0
    for _ in range(TRIES):
        damaged = chance.choice([*damage.BYTES, *damage.PARTS, *damage.NOTES])(damage.File(whole), chance)
        if writer is damage.signed:
            try:
                damaged = damage.signed(damaged)
            except Exception:
                # Nobody could sign it.
                continue
        if tried(tmp_path / "damaged", net, damaged):
            loads += 1
            net.train()
            net = Net(0.02)
    assert loads < TRIES / 4, "the damage is none"
    assert tried(tmp_path / "whole", net, whole)


@pytest.mark.parametrize(
    "place", ["model/net/a/kernel", "tied", "optimizer/adam/model/net/a/kernel/velocity"]
)
def test_a_flipped_bit_is_reported_with_the_array_and_the_file(tmp_path, content, place):
    file = damage.File(content)
    body = bytearray(file.body)
    body[file.header[place]["data_offsets"][0]] ^= 4
    path = tmp_path / "flipped"
    path.write_bytes(damage.made(file.header, bytes(body)))
    with pytest.raises(CheckpointError) as caught:
        ps.load(path, **Net(0.02).things())
    assert f"the array {place!r} does not have the checksum" in str(caught.value)
    assert repr(str(path)) in str(caught.value) and "Nothing was changed" in str(caught.value)


def test_a_changed_number_in_the_notes_is_reported(tmp_path, content):
    path = tmp_path / "changed"
    path.write_bytes(content.replace(rb"\"learning_rate\": 0.01", rb"\"learning_rate\": 0.09"))
    assert path.read_bytes() != content
    with pytest.raises(CheckpointError, match="metadata does not have the checksum"):
        ps.load(path, **Net(0.02).things())


def test_files_of_before_have_no_checksums_and_load(tmp_path, content):
    path, net = tmp_path / "old", Net(0.02)
    path.write_bytes(damage.without_checksums(content))
    done = ps.load(path, **net.things())
    assert done["epoch"] == 3 and net.optimizer.learning_rate == 0.01


def test_others_read_the_file_and_find_its_checksums(tmp_path, content):
    path = tmp_path / "whole"
    path.write_bytes(content)
    arrays = load_file(path)
    with safe_open(path, framework="np") as file:
        sums = json.loads(file.metadata()["checksums"])
    assert sums["arrays"].keys() == arrays.keys()
    assert all(zlib.crc32(array.tobytes()) == sums["arrays"][name] for name, array in arrays.items())


def test_arrays_that_were_changed_on_purpose(tmp_path):
    """The remedy of the message: the arrays again, without the notes about them."""
    path, weight = tmp_path / "weight", ps.Variable([1.0, 2.0], name="weight")
    ps.save(path, weight)
    with safe_open(path, framework="np") as file:
        metadata = file.metadata()
    save_file({"weight": np.asarray([3.0, 4.0], np.float32)}, path, metadata)
    with pytest.raises(CheckpointError, match="on purpose"):
        ps.load(path, weight)
    save_file(load_file(path), path)
    ps.load(path, weight)
    assert weight.numpy().tolist() == [3.0, 4.0]


def test_hyper_parameters_that_an_optimizer_does_not_take(tmp_path, content):
    path, net = tmp_path / "signed", Net(0.02)
    damaged = content.replace(rb"\"learning_rate\": 0.01", rb"\"learning_rate\": -1.0")
    path.write_bytes(damage.signed(damage.made(*header_and_body(damaged))))
    before = net.state()
    with pytest.raises(CheckpointError, match=r"adam does not accept learning_rate=-1\.0"):
        ps.load(path, **net.things())
    assert net.state() == before


def header_and_body(content):
    """The parts of a file whose header was changed in place, and may have another length now."""
    # The first eight bytes are the length of the header: any of them may be that of a brace.
    header, end = json.JSONDecoder().raw_decode(content[8:].decode("latin-1"))
    body = content[8 + end :].lstrip(b" ")
    return header, body


def test_modules_of_pytorch_with_other_axes(tmp_path):
    path = tmp_path / "torch"
    layer = ps.layers.MultiHeadAttention(2, 4, name="attention")
    layer(np.ones((1, 3, 8), np.float32), np.ones((1, 3, 8), np.float32))
    weights = {"in_proj_weight": (), "in_proj_bias": (24,), "out_proj.weight": (8, 8), "out_proj.bias": (8,)}
    save_file({name: np.zeros(shape, np.float32) for name, shape in weights.items()}, path)
    with pytest.raises(CheckpointError, match=r"do not have the axes(.|\n)*in_proj_weight \(\)"):
        ps.load(path, layer, layout="torch")
