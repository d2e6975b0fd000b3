"""Run every program with paddle.Model under PaddlePaddle and write down what it printed, warned and raised.

Used as `paddle_programs.py` is, which says what is recorded. Programs are
`tests/oracles/paddle_fit_programs/*.py`; the answer is `tests/oracles/paddle_fit_programs.json`.
"""

import sys

from paddle_programs import VERSIONS

from programs import Framework, main

if __name__ == "__main__":
    sys.exit(main(Framework("paddle_fit_programs", "paddle_fit_programs.json"), __doc__, VERSIONS))
