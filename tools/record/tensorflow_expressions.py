"""Evaluate the oracle expressions under TensorFlow and write down what each gives or raises.

Usage, from the root of the repository, in an environment that has TensorFlow 2.21 and Keras 3.15:

    python tools/record/tensorflow_expressions.py            record
    python tools/record/tensorflow_expressions.py --new      record those that have no record yet
    python tools/record/tensorflow_expressions.py --check    record nothing, say whether anything differs

The expressions are in `tests/oracles/expressions.py`, the answer beside it in `tensorflow_expressions.json`;
those about ragged tensors in `expressions_of_ragged.py` and `tensorflow_ragged.json`, those about sparse
tensors, queues and the like in `expressions_of_containers.py`: `ragged` or `containers` asks for them. Those
of tf.experimental.numpy are in `expressions_of_numpy.py`, and `numpy` asks for them; those of feature columns
in `expressions_of_columns.py`, for which `columns` asks, and those of extension types in
`expressions_of_extension_types.py`, for which `types` asks.

    versions       of tensorflow, keras, numpy and python
    expressions
      <text>       the repr of the value, or ["type of the exception", "first line of its message"]

Messages are kept without TensorFlow's `{{function_node ...}}` prefixes and `[Op:...] name:` endings. Where
one calls a function of Python's by a number, as pyfunc_3, `<lambda>` stands in the record.
"""

import re
import sys

from reference import ORACLES, compare, read, tf, versions, write

sys.path.insert(0, str(ORACLES))

import expressions
import expressions_of_columns
import expressions_of_containers
import expressions_of_extension_types
import expressions_of_numpy
import expressions_of_ragged

RECORD = ORACLES / "tensorflow_expressions.json"
OF_RAGGED = ORACLES / "tensorflow_ragged.json"
OF_CONTAINERS = ORACLES / "tensorflow_containers.json"
OF_COLUMNS = ORACLES / "tensorflow_columns.json"
OF_TYPES = ORACLES / "tensorflow_extension_types.json"
OF_NUMPY = ORACLES / "tensorflow_numpy.json"


def core(message: str) -> str:
    """Return the first line of a message without what is about devices and kernels."""
    message = re.sub(r"\{\{function_node [^}]*\}\} ", "", message.partition("\n")[0])
    message = re.sub(r"\bpyfunc_\d+", "<lambda>", message)
    return re.sub(r" \[Op:\w+\].*$", "", message)


def outcome(text: str, setup: str) -> object:
    """Return what an expression gives, evaluated with fresh operands."""
    names = {"tf": tf}
    exec(setup, names)
    try:
        return repr(eval(text, names))
    except Exception as problem:
        return [type(problem).__name__, core(str(problem))]


def main() -> int:
    """Record the expressions, or check the record."""
    file, setup = RECORD, expressions.SETUP
    texts = [*expressions.EXPRESSIONS, *expressions.mixtures()]
    if "ragged" in sys.argv[1:]:
        file, setup, texts = OF_RAGGED, expressions_of_ragged.SETUP, expressions_of_ragged.RAGGED
    if "containers" in sys.argv[1:]:
        file, setup = OF_CONTAINERS, expressions_of_containers.SETUP
        texts = expressions_of_containers.CONTAINERS
    if "numpy" in sys.argv[1:]:
        file, setup, texts = OF_NUMPY, expressions_of_numpy.SETUP, expressions_of_numpy.NUMPY
    if "columns" in sys.argv[1:]:
        file, setup, texts = OF_COLUMNS, expressions_of_columns.SETUP, expressions_of_columns.COLUMNS
    if "types" in sys.argv[1:]:
        file, setup = OF_TYPES, expressions_of_extension_types.SETUP
        texts = expressions_of_extension_types.TYPES
    known = read(file).get("expressions", {}) if "--new" in sys.argv[1:] else {}
    found = {text: known[text] if text in known else outcome(text, setup) for text in texts}
    record = {"versions": versions(), "expressions": found}
    if "--check" in sys.argv[1:]:
        return compare(file, record)
    write(file, record)
    return 0


if __name__ == "__main__":
    sys.exit(main())
