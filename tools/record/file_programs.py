"""Run every program about files under TensorFlow and write down what it printed, warned and raised.

Used as `tensorflow_programs.py` is, which says what is recorded; Pillow, SciPy and h5py have to be installed
beside TensorFlow. Programs are `tests/oracles/file_programs/*.py`, the answer is `file_programs.json` beside
them.
"""

import sys

from reference import versions
from tensorflow_programs import tensorflow

from programs import main

if __name__ == "__main__":
    sys.exit(main(tensorflow("file_programs", "file_programs.json"), __doc__, versions()))
