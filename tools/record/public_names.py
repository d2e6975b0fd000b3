"""Write down the public names of a framework, and how often public programs use them.

    python tools/record/public_names.py tensorflow [USES.csv]
    python tools/record/public_names.py paddle [USES.csv]

The Python that runs this has the framework. The answer is `tests/oracles/public_names_FRAMEWORK.json`:

    versions    of the framework
    names       by namespace: its public names, those of namespaces below it apart
    uses        by name: how many uses were counted, from a table with the columns "symbol" and "uses";
                those of the record stay where no table is given, and names that are not public are left out

The namespaces of TensorFlow are found by walking them; one that is reached by two ways is listed under the
first. Those of Paddle are the ones that its documentation has pages for.
"""

import argparse
import contextlib
import csv
import importlib
import os
import sys
from pathlib import Path
from types import ModuleType

from records import ORACLES, read, write

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

SKIPPED = {
    "tf.compat", "tf.raw_ops", "tf.lite", "tf.mlir", "tf.tpu", "tf.xla", "tf.profiler", "tf.test", "tf.tools",
    "tf.keras.legacy", "tf.keras.backend.legacy",
    *(f"tf.compat.v1.{name}" for name in (
        "compat", "keras", "raw_ops", "lite", "mlir", "tpu", "xla", "profiler", "test", "resource_loader",
        "sysconfig", "user_ops", "graph_util", "python_io", "flags", "app",
    )),
}  # fmt: skip
"""Namespaces that are not walked: of operations that programs do not write themselves, and of other tools."""

PADDLE = (
    "", "amp", "amp.debugging", "audio", "audio.features", "audio.functional", "autograd", "callbacks",
    "device", "device.cuda", "distributed", "distribution", "fft", "geometric", "hub", "io", "jit",
    "linalg", "metric", "nn", "nn.functional", "nn.initializer", "nn.quant", "nn.utils", "onnx",
    "optimizer", "optimizer.lr", "profiler", "quantization", "regularizer", "signal", "sparse",
    "sparse.nn", "static", "static.nn", "text", "version", "vision", "vision.datasets", "vision.models",
    "vision.ops", "vision.transforms",
)  # fmt: skip
"""The namespaces of Paddle."""


def namespace(value: object) -> bool:
    """Whether a value is a namespace of TensorFlow's or Keras's interface, and not a module behind it."""
    name = vars(value).get("__name__", "") if isinstance(value, ModuleType) else ""
    return name.startswith(("tensorflow._api.", "keras.")) and not name.startswith("keras.src")


def walked(path: str, module: ModuleType, seen: set[int]) -> dict[str, list[str]]:
    """Return the names of a namespace of TensorFlow and of those below it, by namespace."""
    seen.add(id(module))
    here: list[str] = []
    below: dict[str, list[str]] = {}
    for name in sorted(one for one in dir(module) if not one.startswith("_")):
        value = None
        with contextlib.suppress(Exception):
            value = getattr(module, name)
        if not isinstance(value, ModuleType):
            if value is not None:
                here.append(name)
        elif namespace(value) and f"{path}.{name}" not in SKIPPED and id(value) not in seen:
            below |= walked(f"{path}.{name}", value, seen)
    return ({path: here} if here else {}) | below


def names_of_tensorflow(module: ModuleType) -> dict[str, list[str]]:
    """Return the names of TensorFlow 2, then those of TensorFlow 1."""
    seen: set[int] = set()
    keras = importlib.import_module("keras._tf_keras.keras")
    names = walked("tf", module, seen) | walked("tf.keras", keras, seen)
    return names | walked("tf.compat.v1", module.compat.v1, seen)


def names_of_paddle(module: ModuleType) -> dict[str, list[str]]:
    """Return what the namespaces of Paddle list, without what is a namespace itself."""
    names = {}
    for path in PADDLE:
        space = importlib.import_module(f"paddle.{path}".rstrip("."))
        listed = [name for name in space.__all__ if not isinstance(getattr(space, name, None), ModuleType)]
        names[space.__name__] = sorted(set(listed))
    return {path: inside for path, inside in names.items() if inside}


FRAMEWORKS = {"tensorflow": names_of_tensorflow, "paddle": names_of_paddle}


def main() -> int:
    """Record the names of the framework that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("framework", choices=sorted(FRAMEWORKS))
    parser.add_argument("uses", nargs="?", help="a table of names and uses")
    chosen = parser.parse_args()
    module = importlib.import_module(chosen.framework)
    names = FRAMEWORKS[chosen.framework](module)
    answer = ORACLES / f"public_names_{chosen.framework}.json"
    uses = read(answer).get("uses", {})
    if chosen.uses:
        with Path(chosen.uses).open(encoding="utf-8", newline="") as file:
            uses = {row["symbol"]: int(row["uses"]) for row in csv.DictReader(file)}
    known = {f"{space}.{name}" for space, inside in names.items() for name in inside}
    # Programs of TensorFlow 1 write tf.name.
    known |= {name.replace("tf.compat.v1.", "tf.", 1) for name in known}
    uses = {name: count for name, count in uses.items() if name in known}
    write(answer, {"versions": {chosen.framework: module.__version__}, "names": names, "uses": uses})
    print(f"{sum(map(len, names.values()))} names in {len(names)} namespaces, {len(uses)} of them counted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
