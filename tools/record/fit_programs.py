"""Run every program about Keras' `fit` under TensorFlow and write down what it printed, warned and raised.

Used as `tensorflow_programs.py` is, which says what is recorded. Programs are
`tests/oracles/fit_programs/*.py`; the answer is `tests/oracles/fit_programs.json`.
"""

import sys

from reference import versions
from tensorflow_programs import tensorflow

from programs import main

if __name__ == "__main__":
    sys.exit(main(tensorflow("fit_programs", "fit_programs.json"), __doc__, versions()))
