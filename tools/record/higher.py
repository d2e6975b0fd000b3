"""Run small programs about higher derivatives and control flow in TensorFlow, or in JAX.

Usage, from the root of the repository, in an environment that has TensorFlow 2.21 and in one that has JAX:

    python tools/record/higher.py tensorflow            record
    python tools/record/higher.py jax --check           record nothing, report what differs

The programs stand in `tests/oracles/higher.py`; the answers are `tests/oracles/higher_tensorflow.json` and
`higher_jax.json`:

    versions     of the framework and of numpy
    programs     by name: what the program left in `out`, a list of arrays (lists of numbers), or null

Numbers are the shortest decimals that read back as the same float32.
"""

import argparse
import json
import os
import sys
from pathlib import Path

import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

ORACLES = Path(__file__).resolve().parents[2] / "tests" / "oracles"
sys.path.insert(0, str(ORACLES))
import higher as programs  # noqa: E402


def plain(value: object) -> object:
    """Return an array as nested lists of the shortest decimals, or None."""
    if value is None:
        return None
    array = np.asarray(value)
    return json.loads(json.dumps(array.tolist(), default=float)) if array.dtype.kind != "f" else short(array)


def short(array: np.ndarray) -> object:
    """Return floats as the shortest decimals that read back as the same number of their width."""
    if array.ndim == 0:
        return float(str(array[()]))
    return [short(one) for one in array]


def answers(framework: str) -> dict[str, object]:
    """Return what each program leaves."""
    if framework == "tensorflow":
        import tensorflow as tf

        sources = programs.TENSORFLOW
        names = {"tf": tf, "np": np}
        versions = {"tensorflow": tf.__version__}
    else:
        import jax
        import jax.numpy as jnp

        sources = {name: source for name, (source, _) in programs.JAX.items()}
        names = {"jax": jax, "jnp": jnp, "np": np}
        versions = {"jax": jax.__version__}
    found = {
        name: [plain(one) for one in programs.run(source, dict(names))] for name, source in sources.items()
    }
    return {"versions": versions | {"numpy": np.__version__}, "programs": found}


def main() -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("framework", choices=("tensorflow", "jax"))
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    path = ORACLES / f"higher_{options.framework}.json"
    record = answers(options.framework)
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(one)}" for name, one in record["programs"].items())
    text = f'{{"versions": {json.dumps(record["versions"])},\n "programs": {{\n{lines}\n }}}}\n'
    if options.check:
        same = path.exists() and json.loads(path.read_text(encoding="utf-8")) == json.loads(text)
        print(f"{path.name}: {'as recorded' if same else 'differs from the record'}")
        return 0 if same else 1
    path.write_text(text, encoding="utf-8")
    print(f"{path.name}: {len(record['programs'])} programs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
