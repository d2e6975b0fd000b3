"""Compiled programs on disk: a second process compiles nothing, and no file makes a wrong program."""

import os
import stat
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import penstock as ps
from penstock.cli import main
from penstock.testing import use_engine
from penstock.tiers import disk, program, waiting, xla
from penstock.tiers.program import programs

pytestmark = pytest.mark.xla

SCRIPT = """
    from jax import monitoring

    said = []
    monitoring.register_event_duration_secs_listener(lambda event, seconds, **more: said.append(event))
    import numpy as np
    import penstock as ps
    from penstock.tiers.program import programs

    w = ps.Variable(np.linspace(-1.0, 1.0, 12, dtype=np.float32).reshape(4, 3))
    ids = ps.asarray(np.asarray([0, 2, 1]))
    optimizer = ps.optimizers.Adam(0.01)
    for _ in range(4):
        with ps.GradientTape() as tape:
            h = ps.tanh(ps.take(w, ids, axis=0) @ ps.matrix_transpose(w))
            total, _ = ps.scan(lambda c, x: (c * 0.5 + x, None), ps.zeros((4,)), h)
            loss = ps.mean(total * total)
        optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
        print(float(loss))
    print(w.numpy().tobytes().hex())
    print(*(sum(word in one for one in said) for word in ("trace", "to_mlir", "backend_compile")))
    made = [one for kept in programs.values() for one in kept.compiled.values()]
    print(len(made), sum(one.loaded for one in made))
"""


def run(folder, script=SCRIPT, **variables):
    """Runs a script in a new process; returns the lines it prints."""
    environment = {
        **os.environ, "PENSTOCK_ENGINE": "xla", "PENSTOCK_CACHE_DIR": str(folder), **variables
    }  # fmt: skip
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], env=environment, text=True, capture_output=True
    )
    assert found.returncode == 0, found.stderr
    return found.stdout.splitlines()


def test_a_second_process_compiles_nothing(tmp_path):
    first = run(tmp_path / "kept")
    second = run(tmp_path / "kept")
    assert first[:-2] == second[:-2], "to the last bit"
    count = int(first[-1].split()[0])
    # JAX reports that it traced, lowered and compiled each program once, and later nothing.
    assert first[-2] == f"{count} {count} {count}" and second[-2] == "0 0 0"
    assert first[-1] == f"{count} 0" and second[-1] == f"{count} {count}" and count
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o700
    # Anything that decides the machine code makes another key.
    third = run(tmp_path / "kept", XLA_FLAGS="--xla_cpu_enable_fast_math=false")
    assert third[-1] == f"{count} 0"


FACTORS = """
    import numpy as np
    import penstock as ps
    from penstock.tiers.program import programs

    for shift in range(4):
        print(float(ps.sum(ps.linalg.cholesky(ps.asarray(np.eye(3) * (4.0 + shift))))))
    print(sum(one.loaded for kept in programs.values() for one in kept.compiled.values()) > 0)
"""


def test_stored_programs_may_call_lapack(tmp_path):
    """JAX loads LAPACK when it lowers a call of it, which a process that finds an executable does not do."""
    first, second = run(tmp_path, FACTORS), run(tmp_path, FACTORS)
    assert first[-1] == "False" and second[-1] == "True"
    assert first[:-1] == second[:-1]


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A new folder, with the programs of this process forgotten."""
    folder = tmp_path / "kept"
    monkeypatch.setenv(disk.FOLDER, str(folder))
    return folder


def compiled_anew(f, *arguments):
    """Calls a function in XLA; returns its value, and whether each of its programs was found on disk."""
    before = set(map(id, programs.values()))
    with use_engine("xla"):
        value = f(*arguments).numpy()
    made = [one for one in programs.values() if id(one) not in before]
    loaded = [own.loaded for one in made for own in one.compiled.values()]
    for one in made:
        one.let_go()
        del programs[one.key]
    return value, loaded


def forget():
    """Discards the recordings of this test, so that a function is recorded again."""
    program.budget.clear()


def f(x):
    return ps.sin(x) * 3.0 + ps.exp(x)


def test_files_are_found_again(kept):
    x = ps.asarray(np.linspace(0.0, 1.0, 7))
    first, loaded = compiled_anew(f, x)
    assert loaded == [False]
    forget()
    second, loaded = compiled_anew(f, x)
    assert loaded == [True]
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "foreign", "of another version"])
def test_a_damaged_file_is_replaced(kept, damage):
    x = ps.asarray(np.linspace(0.0, 1.0, 9))
    first, _ = compiled_anew(f, x)
    ((_, _, path),) = disk.files(kept)
    whole = path.read_bytes()
    content = b"not an executable"
    path.write_bytes(
        {
            "cut": whole[:-10],
            "flipped": whole[:200] + bytes([whole[200] ^ 1]) + whole[201:],
            "empty": b"",
            "foreign": b"something else entirely" * 10,
            "of another version": disk.FORMAT + disk.hashlib.sha256(content).digest() + content,
        }[damage]
    )
    forget()
    second, loaded = compiled_anew(f, x)
    assert loaded == [False]
    np.testing.assert_array_equal(first, second)
    assert [path.read_bytes()[: len(disk.FORMAT)] for _, _, path in disk.files(kept)] == [disk.FORMAT]
    forget()
    assert compiled_anew(f, x)[1] == [True]


def test_the_key_tells_programs_apart():
    """Programs that differ in one thing have different keys, and equal ones the same."""
    x, y = ps.asarray(np.ones(5, np.float32)), ps.asarray(np.ones(5, np.float64))
    table = np.arange(5, dtype=np.float32)
    makers = [
        lambda: ps.sin(x) * 2.0, lambda: ps.sin(x) * 2.5, lambda: ps.cos(x) * 2.0, lambda: ps.sin(y) * 2.0,
        lambda: ps.sum(x, axis=0), lambda: ps.sum(x, axis=0, keepdims=True), lambda: ps.flip(x),
        lambda: ps.scan(lambda c, v: (c + v, c), 0.0, x)[1],
        lambda: ps.scan(lambda c, v: (c - v, c), 0.0, x)[1],
        lambda: ps.scan(lambda c, v: (c + v, c), 0.0, x, reverse=True)[1],
        lambda: x * table, lambda: x * table.astype(np.int8),
    ]  # fmt: skip

    def key(make):
        before = set(map(id, programs.values()))
        with use_engine("numpy"):
            make().numpy()
        made = [one for one in programs.values() if id(one) not in before]
        for one in made:
            del programs[one.key]
        return [disk.key_of(xla.jax(), one, (), {}, {}) for one in made][-1]

    keys = []
    for make in makers:
        forget()
        keys.append(key(make))
    assert None not in keys and len(set(keys)) == len(keys)
    forget()
    assert key(makers[0]) == keys[0]


def test_functions_without_a_stable_identity_are_not_stored():
    class Own:
        """Says nothing of itself."""

    with pytest.raises(disk._Unfit):
        disk._exact((1, Own()))
    assert disk._exact(True) is True and repr(disk._exact(1)) != repr(disk._exact(1.0))
    narrow = [np.zeros(2, name) for name in ("float8_e5m2", "float8_e4m3fn", "int8", "bool")]
    assert len({repr(disk._exact(one)) for one in narrow}) == 4


def test_the_least_recently_read_program_goes_first(kept, monkeypatch):
    kept.mkdir(mode=0o700)
    for number in range(10):
        path = kept / f"{number}{disk.SUFFIX}"
        path.write_bytes(bytes(1000))
        os.utime(path, (number, number))
    (kept / "notes.txt").write_bytes(bytes(10_000))
    disk._make_room(kept, 8000)
    assert sorted(path.name[0] for _, _, path in disk.files(kept)) == ["4", "5", "6", "7", "8", "9"]
    assert (kept / "notes.txt").exists()
    disk._make_room(kept, 6000)
    assert len(list(disk.files(kept))) == 6


def test_nothing_is_kept_where_nothing_may_be(tmp_path, monkeypatch):
    x = ps.asarray(np.linspace(0.0, 1.0, 11))
    plain = tmp_path / "file"
    plain.write_text("")
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    for name, value in (
        (disk.FOLDER, ""), (disk.FOLDER, str(plain)), (disk.FOLDER, str(plain / "below")),
        (disk.FOLDER, str(open_to_all)), (disk.BOUND, "0"),
    ):  # fmt: skip
        monkeypatch.setenv(disk.FOLDER, str(tmp_path / "never"))
        monkeypatch.setenv(name, value)
        forget()
        assert compiled_anew(f, x)[1] == [False]
        monkeypatch.delenv(disk.BOUND, raising=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "open"]
    assert not list(open_to_all.iterdir())


def test_processes_write_at_once(tmp_path):
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda _: run(tmp_path / "kept"), range(3)))
    assert len({tuple(one[:-2]) for one in found}) == 1
    assert not [path for path in (tmp_path / "kept").iterdir() if path.suffix != disk.SUFFIX]


def test_the_command_shows_and_empties_the_folder(kept, monkeypatch, capsys):
    assert main(["cache"]) == 0
    assert "0 compiled programs, 0.0 MiB of at most 1,024.0 MiB" in capsys.readouterr().out
    compiled_anew(f, ps.asarray(np.ones(3)))
    assert main(["cache"]) == 0
    assert f"{kept}: 1 compiled program, " in capsys.readouterr().out
    assert main(["cache", "--clear"]) == 0
    assert capsys.readouterr().out == f"Deleted 1 compiled program from {kept}.\n"
    assert list(disk.files(kept)) == []
    kept.chmod(0o777)
    assert main(["cache"]) == 1
    assert "is not used: others can write to it: chmod go-w" in capsys.readouterr().err
    monkeypatch.setenv(disk.FOLDER, "")
    assert main(["cache"]) == 0
    assert capsys.readouterr().out == "No compiled programs are kept: PENSTOCK_CACHE_DIR is ''.\n"
    monkeypatch.delenv(disk.FOLDER)
    monkeypatch.setenv(disk.BOUND, "much")
    assert main(["cache"]) == 2
    assert "PENSTOCK_CACHE_DISK is 'much'" in capsys.readouterr().err


def test_where_the_folder_is(monkeypatch, tmp_path):
    monkeypatch.delenv(disk.FOLDER, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert disk.folder() == tmp_path / "penstock"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert disk.folder() == tmp_path / ".cache" / "penstock"


def test_a_long_compilation_says_so(monkeypatch, capsys):
    monkeypatch.setattr(waiting, "PATIENCE", 0.0)
    forget()
    x = ps.asarray(np.ones(13))
    compiled_anew(lambda: ps.sin(x) * 3.0)
    said = capsys.readouterr().err
    assert "test_disk.py:" in said and "waits for XLA, which compiles 2 operations." in said
    monkeypatch.setenv(waiting.QUIET, "1")
    forget()
    compiled_anew(lambda: ps.cos(x) * 3.0)
    assert capsys.readouterr().err == ""
