"""What readers of types see of a script: results that are not Any, and keywords that do not exist."""

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = """\
import numpy as np

import penstock as ps

model = ps.layers.Sequential([ps.layers.Dense(3, activation="relu", name="first"), ps.layers.Dense(1)])
x = ps.ones((2, 4))
w = ps.Variable(1.0, name="w")
optimizer = ps.optimizers.Adam(0.1, weight_decay=0.01)
with ps.GradientTape() as tape:
    predicted = model(x)
    loss = ps.mean(predicted**2) * w
one = tape.gradient(loss, w)
reveal_type(predicted)
reveal_type(loss)
reveal_type(one)
with ps.GradientTape() as again:
    loss = ps.mean(model(x)) * w
several = again.gradient(loss, model.trainable_variables)
reveal_type(several)
optimizer.apply_gradients(zip(several, model.trainable_variables))
reveal_type(ps.grad(lambda v: v * v)(2.0))
reveal_type(ps.grad(lambda u, v: u * v, argnums=(0, 1))(2.0, 3.0))
reveal_type(loss.numpy())
reveal_type(w.numpy())
reveal_type(ps.layers.Dense(2))
print(float(one), float(ps.grad(lambda v: v * v)(2.0)), np.sum(loss.numpy()))
"""
TYPES = [
    "Tensor | Any", "Tensor", "Tensor | Any", "list[Tensor | Any]", "Tensor | Any",
    "tuple[Tensor | Any, ...]", "ndarray", "ndarray", "Dense",
]  # fmt: skip
WRONG = """\
import penstock as ps

ps.layers.Dense(3, activaton="relu")
ps.layers.Conv2D(3, 2, nmae="x")
ps.layers.MaxPooling2D(pool=2)
ps.layers.Dropout(0.5, trainable=True, sed=1)
ps.optimizers.Adam(0.1, weight_decy=0.01)
ps.sum(ps.ones((2,)), axes=0)
ps.ones((2,)).sum().nmpy()
"""


def plain(text):
    """A type as a reader would write it, without modules."""
    for word in ("penstock.trace.tensor.", "penstock.layers.core.", "builtins.", "numpy.", "typing."):
        text = text.replace(word, "")
    return text


def mypy(tmp_path, text):
    """The output of mypy for a script."""
    file = tmp_path / "script.py"
    file.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file=", "--no-error-summary", str(file)]
    # Its cache of the package is that of `make check`.
    command += [f"--cache-dir={ROOT / '.mypy_cache' / 'users'}"]
    done = subprocess.run(command, cwd=ROOT / "src", capture_output=True, text=True, check=False)
    return [line.partition("script.py:")[2] for line in done.stdout.splitlines() if "script.py" in line]


@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")
def test_mypy_knows_the_results_and_keywords_of_calls(tmp_path):
    told = mypy(tmp_path, SCRIPT + "\n\ndef wrong() -> None:\n" + "".join(
        f"    {line}\n" for line in WRONG.splitlines()[2:]
    ))  # fmt: skip
    revealed = [plain(line.split('"', 1)[1].rstrip('"')) for line in told if "Revealed type" in line]
    assert [one.partition("[")[0] if "ndarray" in one else one for one in revealed] == TYPES
    errors = [line for line in told if " error: " in line]
    first = SCRIPT.count("\n") + 4
    lines = [int(line.partition(":")[0]) - first for line in errors]
    assert lines == list(range(len(WRONG.splitlines()) - 2)), "\n".join(errors)


PYRIGHT = shutil.which("pyright")


@pytest.mark.skipif(PYRIGHT is None, reason="pyright is not installed")
def test_pyright_knows_which_keywords_there_are(tmp_path):
    file = tmp_path / "script.py"
    file.write_text(WRONG, encoding="utf-8")
    done = subprocess.run(
        [PYRIGHT, "--pythonpath", sys.executable, str(file)], capture_output=True, text=True, check=False
    )
    found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if " error: " in line}
    assert found == set(range(3, len(WRONG.splitlines()) + 1))
