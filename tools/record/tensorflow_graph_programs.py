"""Run every TensorFlow 1 program under TensorFlow's compat.v1 and write down what it printed and raised.

Used as `tensorflow_programs.py` is, which says what is recorded. Programs are
`tests/oracles/graph_programs/*.py`; the answer is `tests/oracles/tensorflow_graph_programs.json`.
"""

import sys

from reference import versions
from tensorflow_programs import tensorflow

from programs import main

if __name__ == "__main__":
    sys.exit(main(tensorflow("graph_programs", "tensorflow_graph_programs.json"), __doc__, versions()))
