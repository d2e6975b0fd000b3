"""Checkpoints: by path, all or nothing, and a resumed run equals one that was never stopped."""

import errno
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import penstock as ps
import processes
from accelerators import REPEATED, on_accelerator
from penstock.errors import CheckpointError, LockedError
from penstock.state import checkpoint
from penstock.state.peers import joined
from penstock.state.sets import owners_of

pytest.importorskip("safetensors")
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

KILLS = Path(__file__).parent / "kills.py"


class Layer:
    def __init__(self, name, *shape, value=0.0):
        self.kernel = ps.Variable(np.full(shape, value, np.float32), name=f"{name}/kernel")
        self.bias = ps.Variable(np.full(shape[-1:], value, np.float32), name=f"{name}/bias")

    @property
    def variables(self):
        return [self.kernel, self.bias]


def bits(*variables):
    return [np.asarray(v.numpy()).tobytes() for v in variables]


# -- content of the file -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype",
    [
        "float32",
        "float64",
        "float16",
        "bfloat16",
        "int8",
        "int64",
        "uint32",
        "bool",
        "complex64",
        "complex128",
    ],
)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0, 3), (4, 5)])
def test_every_dtype_and_shape_comes_back(tmp_path, dtype, shape, tier):
    values = np.random.default_rng(0).standard_normal(shape) * (3 + 4j if "complex" in dtype else 3)
    values = np.asarray(values).astype(np.dtype(getattr(ml_dtypes, dtype, dtype)))
    one = ps.Variable(values, name="one")
    before = bits(one)
    ps.save(tmp_path / "one.safetensors", one)
    one.assign(np.zeros(shape, values.dtype))
    done = ps.load(tmp_path / "one.safetensors", one)
    assert done.loaded == ["one"] and bits(one) == before and one.dtype == values.dtype


def test_the_file_is_one_that_others_read(tmp_path):
    model, adam = Layer("net/0", 2, 3, value=1.0), ps.optimizers.Adam(0.25)
    adam.apply_gradients([(ps.ones((2, 3)), model.kernel)])
    path = tmp_path / "net.safetensors"
    ps.random.seed(5)
    ps.save(path, model, adam, epoch=3, note="first")
    arrays = load_file(path)
    assert {"net/0/kernel", "net/0/bias", "adam/step"} <= set(arrays)
    assert np.array_equal(arrays["net/0/kernel"], model.kernel.numpy())
    assert len([name for name in arrays if name.startswith("adam/") and "net/0/kernel" in name]) == 2
    with safe_open(path, framework="np") as file:
        metadata = {name: text for name, text in file.metadata().items() if name != "format"}
    metadata = {name: json.loads(text) for name, text in metadata.items()}
    assert metadata["variables"]["net/0/kernel"] == {"shape": [2, 3], "dtype": "float32", "trainable": True}
    assert metadata["optimizers"]["adam"]["class"] == "Adam"
    assert metadata["optimizers"]["adam"]["numbers"]["learning_rate"] == 0.25
    assert metadata["optimizers"]["adam"]["applied"] == 1
    assert metadata["values"] == {"epoch": 3, "note": "first"}
    assert metadata["records"]["random"] == [5, 0]


def test_pending_writes_are_saved_and_a_captured_step_refuses(tmp_path):
    weight = ps.Variable(1.0, name="weight")
    weight.assign_add(1.0)
    path = tmp_path / "weight.safetensors"
    ps.save(path, weight)
    assert load_file(path)["weight"] == 2.0

    @ps.step
    def train():
        ps.save(path, weight)

    with pytest.raises(ps.errors.CaptureError, match="save was called inside the captured step 'train'"):
        train()


def test_names_given_come_first(tmp_path):
    one, two = ps.Variable(1.0, name="w"), ps.Variable(2.0, name="w")
    layer = Layer("dense", 2, 2)
    path = tmp_path / "names.safetensors"
    with pytest.raises(CheckpointError, match=r"two Variables have the name 'w'(.|\n)*first=\.\.\."):
        ps.save(path, one, two)
    assert not path.exists()
    ps.save(path, first=one, second=two, net=layer, nest={"a": one, "b": [two, layer]})
    assert set(load_file(path)) == {"first", "second", "net/dense/kernel", "net/dense/bias"}
    one.assign(0.0)
    two.assign(0.0)
    ps.load(path, first=one, second=two, net=layer, nest={"a": one, "b": [two, layer]})
    assert (one.numpy(), two.numpy()) == (1.0, 2.0)


def test_two_optimizers_of_one_kind(tmp_path):
    one, two = ps.Variable(1.0, name="one"), ps.Variable(2.0, name="two")
    of_one, of_two = ps.optimizers.Adam(0.1), ps.optimizers.Adam(0.1)
    for optimizer, variable in ((of_one, one), (of_two, two), (of_two, two)):
        optimizer.apply_gradients([(ps.asarray(1.0), variable)])
    path = tmp_path / "two.safetensors"
    with pytest.raises(CheckpointError, match="two optimizers have the name 'adam'"):
        ps.save(path, one, two, of_one, of_two)
    ps.save(path, one, two, of_one=of_one, of_two=of_two)
    fresh_one, fresh_two = ps.optimizers.Adam(0.5), ps.optimizers.Adam(0.5)
    ps.load(path, one, two, of_one=fresh_one, of_two=fresh_two)
    assert (fresh_one.applied, fresh_two.applied) == (1, 2)
    assert fresh_two.learning_rate == 0.1
    assert bits(*fresh_two.variables) == bits(*of_two.variables)


def test_state_goes_by_path_and_not_by_place(tmp_path):
    """State of Adam over [a, b], loaded for [b, a]."""
    a, b = ps.Variable(1.0, name="a"), ps.Variable(1.0, name="b")
    adam = ps.optimizers.Adam(0.1)
    adam.apply_gradients([(ps.asarray(3.0), a), (ps.asarray(7.0), b)])
    ps.save(tmp_path / "ab.safetensors", a, b, adam)
    fresh = ps.optimizers.Adam(0.1)
    ps.load(tmp_path / "ab.safetensors", b, a, fresh)
    for variable in (a, b):
        slots = {name: float(cell.numpy()) for name, cell in fresh.slots(variable).items()}
        assert slots == {name: float(cell.numpy()) for name, cell in adam.slots(variable).items()}
    assert sorted(fresh.slots(a).values(), key=float)[-1].numpy() == pytest.approx(0.3)
    assert sorted(fresh.slots(b).values(), key=float)[-1].numpy() == pytest.approx(0.7)


def test_the_file_has_the_rights_of_other_files(tmp_path):
    path, other = tmp_path / "model.safetensors", tmp_path / "other"
    other.touch()
    ps.save(path, ps.Variable(1.0, name="w"))
    assert path.stat().st_mode == other.stat().st_mode
    path.chmod(0o640)
    ps.save(path, ps.Variable(1.0, name="w"))
    assert path.stat().st_mode & 0o777 == 0o640


# -- files that do not fit the program ----------------------------------------------------------------------


def test_all_that_does_not_fit_is_listed_and_nothing_changed(tmp_path):
    path = tmp_path / "net.safetensors"
    ps.save(path, Layer("body", 2, 3, value=1.0), ps.Variable([1.0, 2.0], name="head/b"))
    here = [Layer("body", 2, 4), ps.Variable([0.0, 0.0], name="head/bias")]
    random_before = checkpoint.records["random"].note()
    with pytest.raises(CheckpointError) as caught:
        ps.load(path, here)
    text = str(caught.value)
    assert "1 missing, 1 extra, 2 differing" in text
    assert "missing: head/bias" in text and "extra: head/b\n" in text
    assert "body/kernel (float32[2, 3] in the file, float32[2, 4] here)" in text
    assert "near 'head/bias' in the file: 'head/" in text
    assert "Nothing was changed" in text and "test_checkpoint.py" in text
    assert not here[0].kernel.numpy().any() and here[0].kernel.version == 0
    assert checkpoint.records["random"].note() == random_before


def test_another_dtype_on_request_only(tmp_path):
    path = tmp_path / "half.safetensors"
    ps.save(path, ps.Variable([1.5, 2.5], name="w", dtype="float16"))
    wide, whole = ps.Variable([0.0, 0.0], name="w"), ps.Variable([0, 0], name="w")
    with pytest.raises(CheckpointError, match=r"w \(float16\[2\] in the file, float32\[2\] here\)"):
        ps.load(path, wide)
    ps.load(path, wide, convert=True)
    assert wide.numpy().tolist() == [1.5, 2.5] and wide.dtype == np.float32
    with pytest.raises(CheckpointError, match="differing"):
        ps.load(path, whole, convert=True)


def test_missing_and_extra_arrays_on_request(tmp_path):
    path = tmp_path / "net.safetensors"
    ps.save(path, Layer("body", 2, 2, value=1.0), Layer("old", 2, 2, value=1.0))
    body, new = Layer("body", 2, 2), Layer("new", 2, 2)
    done = ps.load(path, body, new, strict=False)
    assert body.kernel.numpy().all() and not new.kernel.numpy().any()
    assert done.loaded == ["body/kernel", "body/bias"]
    assert "not in the file: new/kernel, new/bias" in repr(done)
    assert "left in the file: old/bias, old/kernel" in repr(done)


def test_a_part_by_pattern(tmp_path):
    path = tmp_path / "net.safetensors"
    adam = ps.optimizers.Adam(0.5)
    body = Layer("body", 2, 2, value=1.0)
    adam.apply_gradients([(ps.ones((2,)), body.bias)])
    ps.save(path, body, Layer("head", 2, 10, value=1.0), adam)
    body, head = Layer("body", 2, 2), Layer("head", 2, 3)
    ps.random.seed(7)
    ps.random.normal((2,))
    before = checkpoint.records["random"].note()
    done = ps.load(path, body, head, only="body/*")
    assert repr(done) == f"loaded 2 from {str(path)!r}"
    assert body.kernel.numpy().all() and not head.kernel.numpy().any()
    assert checkpoint.records["random"].note() == before
    with pytest.raises(CheckpointError, match=r"only='boddy/\*' matches none(.|\n)*'body/\*' \(2\)"):
        ps.load(path, body, only="boddy/*")


def test_files_that_are_none(tmp_path):
    weight = ps.Variable(1.0, name="weight")
    with pytest.raises(CheckpointError, match="there is no file"):
        ps.load(tmp_path / "nothing.safetensors", weight)
    path = tmp_path / "cut.safetensors"
    ps.save(path, weight)
    path.write_bytes(path.read_bytes()[:-2])
    with pytest.raises(CheckpointError, match="not a complete safetensors file"):
        ps.load(path, weight)
    with pytest.raises(CheckpointError, match="does not exist"):
        ps.save(tmp_path / "no" / "folder" / "x.safetensors", weight)


def test_frozen_variables_are_not_loaded(tmp_path):
    one, two = ps.Variable(1.0, name="one"), ps.Variable(1.0, name="two")
    path = tmp_path / "pair.safetensors"
    ps.save(path, one, two)
    one.assign(5.0)
    two.assign(5.0)
    ps.freeze(two)
    with pytest.raises(LockedError, match="load tried to write Variable 'two'"):
        ps.load(path, one, two)
    assert (one.numpy(), two.numpy()) == (5.0, 5.0)
    one.assign_add(1.0)
    assert one.numpy() == 6.0


def test_a_load_is_one_step_in_the_ledger(tmp_path, tier):
    many = [ps.Variable(float(i), name=f"many/{i}") for i in range(400)]
    path = tmp_path / "many.safetensors"
    ps.save(path, many)
    with ps.ledger() as entries:
        ps.load(path, many)
    assert len(entries) == 400 and entries.steps == 1
    assert {(entry.by, entry.terms) for entry in entries} == {("load", ("load",))}
    assert all(entry.site.file == __file__ for entry in entries)
    assert [v.numpy() for v in many] == list(range(400))


# -- ties --------------------------------------------------------------------------------------------------


def test_ties_stay_ties(tmp_path):
    shared = ps.Variable([1.0, 2.0], name="shared")
    path = tmp_path / "tied.safetensors"
    ps.save(path, embed={"w": shared}, head={"w": shared})
    assert set(load_file(path)) == {"embed/w"}
    shared.assign([0.0, 0.0])
    done = ps.load(path, embed={"w": shared}, head={"w": shared})
    assert shared.numpy().tolist() == [1.0, 2.0] and done.loaded == ["embed/w", "head/w"]
    assert shared.version == 2
    one, two = ps.Variable([0.0, 0.0], name="one"), ps.Variable([0.0, 0.0], name="two")
    with pytest.raises(CheckpointError, match=r"head/w .tied to embed/w in the file, a separate Variable"):
        ps.load(path, embed={"w": one}, head={"w": two})
    assert not one.numpy().any()


def test_a_tie_of_two_values_is_refused(tmp_path):
    path = tmp_path / "untied.safetensors"
    first, second = ps.Variable([1.0], name="a"), ps.Variable([2.0], name="b")
    ps.save(path, embed=first, head=second)
    shared = ps.Variable([0.0], name="shared")
    with pytest.raises(
        CheckpointError, match=r"head .the same Variable as embed here, but with another value in the file"
    ):
        ps.load(path, embed=shared, head=shared)
    second.assign([1.0])
    ps.save(path, embed=first, head=second)
    ps.load(path, embed=shared, head=shared)
    assert shared.numpy().tolist() == [1.0]


# -- files of other origin ---------------------------------------------------------------------------------


def torch_like(path):
    """As PyTorch writes a network of two linear layers, tied ones noted in the metadata."""
    rng = np.random.default_rng(0)
    arrays = {
        f"layers.{i}.{name}": rng.standard_normal(shape).astype(np.float32)
        for i in range(2)
        for name, shape in (("weight", (3, 2 + i)), ("bias", (3,)))
    }
    save_file(arrays, path, {"head.weight": "layers.0.weight", "format": "pt"})
    return arrays


def test_a_file_of_pytorch_by_table(tmp_path):
    path = tmp_path / "torch.safetensors"
    arrays = torch_like(path)
    model = [Layer("net/0", 2, 3), Layer("net/1", 3, 3)]
    done = ps.load(
        path, model, map={"layers.*.weight": ("net/*/kernel", "transpose"), "layers.*.bias": "net/*/bias"}
    )
    assert len(done.loaded) == 4 and not done.extra
    for i, layer in enumerate(model):
        assert np.array_equal(layer.kernel.numpy(), arrays[f"layers.{i}.weight"].T)
        assert np.array_equal(layer.bias.numpy(), arrays[f"layers.{i}.bias"])


def test_a_file_of_other_origin_by_function(tmp_path):
    path = tmp_path / "torch.safetensors"
    arrays = torch_like(path)
    kernel = ps.Variable(np.zeros((2, 3), np.float32), name="kernel")

    def only_the_first(name, array):
        return ("kernel", array.transpose(1, 0)) if name == "layers.0.weight" else None

    ps.load(path, kernel, map=only_the_first)
    assert np.array_equal(kernel.numpy(), arrays["layers.0.weight"].T)


def test_tables_that_are_wrong(tmp_path):
    path = tmp_path / "torch.safetensors"
    torch_like(path)
    layer = Layer("net/0", 2, 3)
    with pytest.raises(CheckpointError, match=r"map names 'layer\.\*\.bias'(.|\n)*Near"):
        ps.load(path, layer, map={"layer.*.bias": "net/*/bias"})
    with pytest.raises(CheckpointError, match="two arrays of the file the same name, 'net/kernel'"):
        ps.load(path, layer, map={"layers.*.weight": "net/kernel"})
    assert not layer.bias.numpy().any()


# -- resuming ----------------------------------------------------------------------------------------------

TRAINING = """
import sys, penstock as ps, numpy as np
path, part = sys.argv[1:]
rng = np.random.default_rng(0)
net = [ps.Variable(rng.standard_normal(s).astype(np.float32) * 0.3, name=n)
       for n, s in (("net/0/kernel", (5, 7)), ("net/0/bias", (7,)), ("net/1/kernel", (7, 3)))]
average = ps.Variable(np.zeros(3, np.float32), name="average", trainable=False)
adam, sgd = ps.optimizers.Adam(0.01), ps.optimizers.SGD(0.05, momentum=0.9)

@ps.step
def tilt():
    net[1].assign_add(ps.random.normal((7,)) * 0.01)

def turn():
    with ps.GradientTape() as tape:
        x = ps.random.normal((8, 5))
        hidden = ps.nn.relu(x @ net[0] + net[1]) * (ps.random.uniform((8, 7)) > 0.2).astype("float32")
        out = hidden @ net[2]
        loss = ps.mean((out - ps.sum(x, axis=1, keepdims=True)) ** 2)
    gradients = tape.gradient(loss, net)
    adam.apply_gradients(list(zip(gradients, net))[:2])
    sgd.apply_gradients(list(zip(gradients, net))[2:])
    average.assign(average * 0.9 + ps.mean(out, axis=0) * 0.1)
    tilt()
    if RATES:
        adam.learning_rate *= 0.97

if part == "whole":
    ps.random.seed(3)
    for _ in range(12):
        turn()
    ps.save(path, net, average, adam, sgd)
else:
    print(ps.load(path, net, average, adam, sgd), file=sys.stderr)
for _ in range(12):
    turn()
for v in [*net, average, *adam.variables, *sgd.variables]:
    print(v.path, v.numpy().tobytes().hex())
print(adam.applied, adam.learning_rate, ps.random.key().numpy())
"""


@pytest.mark.parametrize(
    ("engine", "rates"), [("numpy", True), ("xla", True), ("auto", False)], ids=["numpy", "xla", "auto"]
)
def test_a_resumed_run_is_the_one_that_was_never_stopped(tmp_path, engine, rates):
    """To the last bit, in a new process; in "auto" the switch to XLA happens in the resumed part."""
    program = f"RATES = {rates}\n" + TRAINING
    outputs = []
    for part in ("whole", "resumed"):
        command = ["-c", program, tmp_path / "run.safetensors", part]
        variables = os.environ | {"PENSTOCK_ENGINE": engine}
        if on_accelerator():
            command, variables = [sys.executable, *command], variables | REPEATED
            done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
        else:
            done = processes.run(command, env=variables)
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert len(outputs[0]) > 1000
    assert outputs[0] == outputs[1]


# -- kills -------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("how", ["at_every_line", "at_any_instant"])
def test_a_kill_leaves_the_old_file_or_the_new(tmp_path, how):
    done = subprocess.run(
        [sys.executable, str(KILLS), how, str(tmp_path / "model.safetensors")],
        env=os.environ | {"PENSTOCK_ENGINE": "numpy"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)


# -- sets of files -----------------------------------------------------------------------------------------


class Alone:
    """One process among as many: it hears itself alone."""

    number, count = 0, 1

    def told(self, what, said):
        return [said]

    def holds(self, value):
        return True


@pytest.fixture
def as_a_set(monkeypatch):
    """Has `save` write a set of files, as several processes do."""
    monkeypatch.setattr(joined, "peers", Alone())


def test_a_set_has_all_that_a_file_has(tmp_path, as_a_set):
    layer, tied = Layer("dense", 3, 2, value=1.5), ps.Variable(np.arange(3) * 1j, name="phase")
    optimizer = ps.optimizers.Adam(0.25)
    optimizer.apply_gradients([(ps.ones((3, 2)), layer.kernel)])
    path = tmp_path / "model.safetensors"
    ps.save(path, layer, tied, optimizer, other=tied, epoch=3)
    assert sorted(os.listdir(tmp_path)) == ["model-00001-of-00001.safetensors", f"{path.name}.index.json"]
    fresh, phase = Layer("dense", 3, 2), ps.Variable(np.zeros(3, complex), name="phase")
    again = ps.optimizers.Adam(0.5)
    for where in (path, f"{path}.index.json"):
        assert ps.load(where, fresh, phase, again, other=phase)["epoch"] == 3
        assert bits(*fresh.variables, phase, *again.variables) == bits(
            *layer.variables, tied, *optimizer.variables
        )
    assert float(again.learning_rate) == 0.25
    # A path that names the index means the same checkpoint.
    ps.save(f"{path}.index.json", layer)
    assert sorted(os.listdir(tmp_path)) == [
        "model-next-00001-of-00001.safetensors",
        f"{path.name}.index.json",
    ]


def test_an_incomplete_set_is_not_loaded(tmp_path, as_a_set):
    path, weight = tmp_path / "model.safetensors", ps.Variable(np.ones(8, np.float32), name="w")
    index, part = tmp_path / "model.safetensors.index.json", tmp_path / "model-00001-of-00001.safetensors"
    ps.save(path, weight)
    good = {file: file.read_bytes() for file in (index, part)}
    weight.assign(np.zeros(8))
    missing = json.loads(good[index])
    missing["weight_map"]["other"] = part.name
    for file, content, said in (
        (part, None, "no such file"),
        (part, good[part][:-1] + b"\1", "checksum"),
        (part, good[part][:-1], "not a complete safetensors file"),
        (index, b"{", "index of a whole checkpoint"),
        (index, b'{"weight_map": {"w": 3}}', "does not say in which file"),
        (index, json.dumps(missing).encode(), "holds the array 'other'"),
        (index, good[index].replace(b'\\"trainable\\": true', b'\\"trainable\\": 1234'), "damaged"),
    ):
        file.write_bytes(content) if content is not None else file.unlink()
        with pytest.raises(ps.errors.CheckpointError, match="(?s)" + said + ".*Nothing was changed"):
            ps.load(path, weight)
        file.write_bytes(good[file])
    assert weight.numpy().sum() == 0.0
    ps.load(path, weight)
    assert weight.numpy().sum() == 8.0


def test_an_index_of_others_is_read_and_not_replaced(tmp_path):
    path = tmp_path / "model.safetensors"
    arrays = {f"layers.{n}.weight": np.full((2, 3), n, np.float32) for n in range(2)}
    where = {name: f"model-0000{n + 1}-of-00002.safetensors" for n, name in enumerate(arrays)}
    for name, file in where.items():
        save_file({name: arrays[name]}, tmp_path / file, {"format": "pt"})
    index = {"metadata": {"total_size": 48}, "weight_map": where}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    kernels = [ps.Variable(np.zeros((3, 2), np.float32), name=f"layers/{n}/kernel") for n in range(2)]
    ps.load(path, kernels, map={"layers.*.weight": ("layers/*/kernel", "transpose")})
    assert [one.numpy().max() for one in kernels] == [0.0, 1.0]
    with pytest.raises(ps.errors.CheckpointError, match=r"(?s)that Penstock has not written.*another name"):
        ps.save(path, kernels)
    assert len(os.listdir(tmp_path)) == 3


def test_the_parts_of_a_set_are_about_equal():
    chance = np.random.default_rng(0)
    for count in range(1, 6):
        sizes = {f"w{n}": int(one) for n, one in enumerate(chance.integers(0, 100, 40))}
        owners = owners_of(sizes, count)
        loads = [sum(sizes[name] for name, owner in owners.items() if owner == one) for one in range(count)]
        assert owners.keys() == sizes.keys() and max(loads) - min(loads) <= 100
        assert set(owners_of(dict.fromkeys("abcdef", 0), count).values()) == set(range(count))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_kill_of_any_process_leaves_the_old_set_or_the_new(tmp_path):
    done = subprocess.run(
        [sys.executable, str(KILLS.with_name("kills_of_sets.py")), str(tmp_path / "model.safetensors")],
        env=os.environ | {"PENSTOCK_ENGINE": "numpy"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)


def test_an_interrupt_leaves_no_half_written_file(tmp_path, monkeypatch):
    path = tmp_path / "model.safetensors"
    ps.save(path, ps.Variable([1.0], name="w"))

    def interrupted(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ps.save(path, ps.Variable([2.0], name="w"))
    assert load_file(path)["w"].tolist() == [1.0]
    assert [one.name for one in tmp_path.iterdir()] == ["model.safetensors"]


# -- names in the file -------------------------------------------------------------------------------------


def moved(optimizer, *variables):
    optimizer.apply_gradients([(ps.ones(variable.shape), variable) for variable in variables])


def test_names_of_state_are_made_of_names_and_not_searched_in_text(tmp_path):
    """`w` is a letter of `adamw`, and `adam` and `model` are names that a variable may have as well."""
    names = ["w", "d", "adam", "m", "step"]
    variables = {name: ps.Variable([1.0, 2.0], name=name) for name in names}
    optimizer = ps.optimizers.AdamW(0.1)
    moved(optimizer, *variables.values())
    path = tmp_path / "model"
    ps.save(path, model=variables, optimizer=optimizer)
    slots = {f"optimizer/adamw/model/{name}/{slot}" for name in names for slot in ("momentum", "velocity")}
    assert set(load_file(path)) == {f"model/{name}" for name in names} | slots | {"optimizer/adamw/step"}
    fresh = ps.optimizers.AdamW(0.5)
    ps.load(path, model=variables, optimizer=fresh)
    for variable in variables.values():
        assert bits(*fresh.slots(variable).values()) == bits(*optimizer.slots(variable).values())


def test_files_with_other_names_of_state_are_read_by_their_notes(tmp_path):
    """Earlier files have names with replaced characters; a note beside them gives the original of each."""
    weight, optimizer = ps.Variable([1.0, 2.0], name="w"), ps.optimizers.AdamW(0.1)
    moved(optimizer, weight)
    path = tmp_path / "model"
    ps.save(path, model={"w": weight}, optimizer=optimizer)
    with safe_open(path, framework="np") as file:
        text = file.metadata()
    del text["checksums"]
    arrays = load_file(path)
    for name in [name for name in arrays if "/model/w/" in name]:
        mangled = "optimizer/adammodel/w/w/" + name.rpartition("/")[2]
        arrays[mangled] = arrays.pop(name)
        text = {key: value.replace(f'"{name}"', f'"{mangled}"') for key, value in text.items()}
    save_file(arrays, path, text)
    fresh = ps.optimizers.AdamW(0.5)
    ps.load(path, model={"w": weight}, optimizer=fresh)
    assert bits(*fresh.slots(weight).values()) == bits(*optimizer.slots(weight).values())
    assert fresh.slots(weight)["momentum"].numpy().any()


def test_state_of_two_variables_of_one_name_is_refused(tmp_path):
    one, two = ps.Variable([1.0], name="same"), ps.Variable([1.0], name="same")
    optimizer = ps.optimizers.SGD(0.1, momentum=0.9)
    moved(optimizer, one, two)
    with pytest.raises(CheckpointError, match="two Variables have the name 'sgd/same/momentum'"):
        ps.save(tmp_path / "state", optimizer)
    ps.save(tmp_path / "state", optimizer, one=one, two=two)
    assert {"sgd/one/momentum", "sgd/two/momentum"} <= set(load_file(tmp_path / "state"))


@pytest.mark.parametrize("name", ["__metadata__", "a\ud800b", "a\nb"])
def test_names_that_no_array_can_have(tmp_path, name):
    variable = ps.Variable([1.0], name=name)
    with pytest.raises(
        CheckpointError,
        match=r"an array in a file cannot have(.|\n)*created "
        r"at(.|\n)*first=",
    ):
        ps.save(tmp_path / "model", variable)
    ps.save(tmp_path / "model", first=variable)
    assert set(load_file(tmp_path / "model")) == {"first"}


def test_numbers_of_numpy_are_numbers(tmp_path):
    path = tmp_path / "model"
    ps.save(path, ps.Variable(1.0, name="w"), epoch=np.int64(3), loss=np.float32(0.5), done=np.bool(True))
    assert ps.load(path, ps.Variable(0.0, name="w")).values == {"epoch": 3, "loss": 0.5, "done": True}


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2", "int4", "uint4"])
def test_dtypes_missing_from_numpy_come_back(tmp_path, dtype):
    values = np.asarray([[1, 0], [-1 if dtype != "uint4" else 2, 1]]).astype(getattr(ml_dtypes, dtype))
    variable = ps.Variable(values, name="narrow")
    ps.save(tmp_path / "narrow", variable)
    variable.assign(ps.asarray(np.zeros_like(values)))
    ps.load(tmp_path / "narrow", variable)
    assert bits(variable) == [values.tobytes()] and variable.dtype == values.dtype


def test_infinite_parts_of_complex_numbers_stay_what_they_are(tmp_path):
    values = np.asarray([complex(1.0, np.inf), complex(-np.inf, 2.0), complex(0.0, -0.0)])
    variable = ps.Variable(values, name="c")
    ps.save(tmp_path / "c", variable)
    variable.assign(np.zeros(3, np.complex128))
    ps.load(tmp_path / "c", variable)
    assert bits(variable) == [values.tobytes()]


# -- places to save ----------------------------------------------------------------------------------------


def left_in(folder):
    return sorted(one.name for one in folder.iterdir())


def test_a_link_goes_on_pointing_to_its_file(tmp_path):
    (tmp_path / "far").mkdir()
    real, link = tmp_path / "far" / "real.safetensors", tmp_path / "link.safetensors"
    for turn in range(2):
        # The first time it points to nothing.
        link.unlink(missing_ok=True)
        link.symlink_to(real)
        ps.save(link, ps.Variable([float(turn)], name="w"))
        assert link.is_symlink() and not real.is_symlink()
        assert load_file(real)["w"].tolist() == [turn]
    assert left_in(tmp_path) == ["far", "link.safetensors"] and left_in(real.parent) == ["real.safetensors"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes that have names")
def test_places_where_no_file_can_be(tmp_path):
    weight = ps.Variable(1.0, name="w")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("text")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe")
    for place, words in {
        "folder": r"is a folder(.|\n)*folder/model\.safetensors",
        "file/model": "a folder that does not exist",
        "none/model": r"does not exist(.|\n)*makedirs",
        "loop": "points back to itself",
        "pipe": "not an ordinary file",
        "a\0b": "null",
        "x" * 300: "too long",
    }.items():
        with pytest.raises(CheckpointError, match=words) as caught:
            ps.save(f"{tmp_path}/{place}", weight)
        assert caught.value.site.file == __file__
    assert left_in(tmp_path) == ["file", "folder", "loop", "pipe"] and not left_in(tmp_path / "folder")
    with pytest.raises(CheckpointError, match="is not a path"):
        ps.save(weight, tmp_path / "model")
    ps.save(os.fsencode(tmp_path / "bytes"), weight)
    ps.load(os.fsencode(tmp_path / "bytes"), weight)


@pytest.mark.parametrize("place", ["folder", "none", "text"])
def test_places_from_which_nothing_is_loaded(tmp_path, place):
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("text")
    with pytest.raises(CheckpointError) as caught:
        ps.load(tmp_path / place, ps.Variable(1.0, name="w"))
    assert repr(str(tmp_path / place)) in str(caught.value)


@pytest.mark.parametrize("where", ["model", "link"])
def test_a_disk_that_is_full_leaves_the_old_file(tmp_path, where):
    """The system refuses to let a file grow, in the middle of it."""
    resource = pytest.importorskip("resource")
    ps.save(tmp_path / "model", ps.Variable([1.0], name="w"))
    (tmp_path / "link").symlink_to(tmp_path / "model")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(CheckpointError, match=r"could not be written(.|\n)*is unchanged") as caught:
            ps.save(tmp_path / where, ps.Variable(np.ones(1_000_000, np.float32), name="w"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.__cause__ is not None
    assert load_file(tmp_path / "model")["w"].tolist() == [1.0]
    assert left_in(tmp_path) == ["link", "model"]


@pytest.mark.parametrize("call", ["mkdtemp", "fsync", "chmod", "replace"])
@pytest.mark.parametrize("number", ["ENOSPC", "EACCES", "EROFS", "EIO"])
def test_whatever_the_system_refuses_nothing_is_lost(tmp_path, monkeypatch, call, number):
    path, weight = tmp_path / "model", ps.Variable([1.0], name="w")
    ps.save(path, weight)
    weight.assign([2.0])

    def refuse(*given, **options):
        raise OSError(getattr(errno, number), os.strerror(getattr(errno, number)))

    monkeypatch.setattr(tempfile if call == "mkdtemp" else os, call, refuse)
    with pytest.raises(CheckpointError, match=os.strerror(getattr(errno, number))) as caught:
        ps.save(path, weight)
    monkeypatch.undo()
    assert isinstance(caught.value.__cause__, OSError) and caught.value.site.file == __file__
    assert load_file(path)["w"].tolist() == [1.0] and left_in(tmp_path) == ["model"]


def test_threads_that_save_to_one_path_replace_each_others_files(tmp_path):
    path, errors = tmp_path / "model", []
    variables = [ps.Variable(np.full(50_000, number, np.float32), name="w") for number in range(4)]

    def work(variable):
        try:
            for _ in range(10):
                ps.save(path, variable)
                values = np.unique(load_file(path)["w"])
                assert len(values) == 1
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=[variable]) for variable in variables]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert left_in(tmp_path) == ["model"]


def test_leftover_files_of_an_earlier_process_are_removed(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True
    )
    for name in (f".model.{done.stdout.strip()}.abc.partial", f".model.{done.stdout.strip()}.partial"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model").touch()
    for name in (f".model.{os.getpid()}.other.partial", ".models.1.partial", ".model.partial"):
        (tmp_path / name).mkdir()
    ps.save(tmp_path / "model", ps.Variable(1.0, name="w"))
    mine = f".model.{os.getpid()}.other.partial"
    assert left_in(tmp_path) == sorted([mine, ".models.1.partial", ".model.partial", "model"])


# -- maps that are wrong -----------------------------------------------------------------------------------


def test_maps_that_return_nonsense(tmp_path):
    path = tmp_path / "torch"
    torch_like(path)
    layer = Layer("net/0", 2, 3)
    with pytest.raises(CheckpointError, match=r"axes \(0, 2\)(.|\n)*2 axes"):
        ps.load(path, layer, map={"layers.*.weight": ("net/*/kernel", (0, 2))})
    for wrong in ("kernel", ("kernel",), (1, 2), [1]):
        with pytest.raises(CheckpointError, match="map returned"):
            ps.load(path, layer, map=lambda name, array, wrong=wrong: wrong)
    with pytest.raises(ps.errors.DTypeError, match="object"):
        ps.load(path, layer, map=lambda name, array: (name, np.asarray([None])))
    assert not layer.kernel.numpy().any()


def test_a_map_may_turn_bytes(tmp_path):
    path = tmp_path / "one"
    save_file({"w": np.asarray([1.0, 2.0], np.float32)}, path)
    weight = ps.Variable([0.0, 0.0], name="w")
    ps.load(path, weight, map=lambda name, array: (name, array.astype(array.dtype.newbyteorder())))
    assert weight.numpy().tolist() == [1.0, 2.0] and weight.numpy().dtype.isnative


# -- a load that fails late --------------------------------------------------------------------------------


def test_a_load_that_fails_at_its_last_write_changes_nothing(tmp_path):
    """State other than variables is set before the variables, and is restored if they fail."""
    model = [ps.Variable([1.0], name="a"), ps.Variable([1.0], name="b")]
    optimizer = ps.optimizers.SGD(0.1, momentum=0.9)
    moved(optimizer, *model)
    ps.save(tmp_path / "model", model, optimizer)
    ps.random.seed(11)
    optimizer.learning_rate = 0.7
    moved(optimizer, *model)
    ps.freeze(model[1])
    before = bits(*model, *optimizer.variables), checkpoint.records["random"].note(), optimizer.applied
    with pytest.raises(LockedError):
        ps.load(tmp_path / "model", model, optimizer)
    assert before == (bits(*model, *optimizer.variables), checkpoint.records["random"].note(), 2)
    assert optimizer.learning_rate == 0.7
    ps.unfreeze(model[1])
    moved(optimizer, *model)
    assert optimizer.applied == 3
