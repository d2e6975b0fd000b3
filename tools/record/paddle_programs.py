"""Run every Paddle program under PaddlePaddle and write down what it printed, warned about and raised.

Usage, from the root of the repository, in an environment that has PaddlePaddle 3.3:

    python tools/record/paddle_programs.py                  record all programs
    python tools/record/paddle_programs.py detach_cuts ...  record these again, keep the others
    python tools/record/paddle_programs.py --check          record nothing, report what differs

Programs are `tests/oracles/paddle_programs/*.py`; the answer is `tests/oracles/paddle_programs.json`, in the
form that `programs.py` describes. Messages are kept as Paddle words them, with the hints and the places in
its own source that they end with.
"""

import platform
import sys

import numpy
import paddle

from programs import Framework, main

VERSIONS = {
    "paddle": paddle.__version__,
    "numpy": numpy.__version__,
    "python": platform.python_version(),
}

if __name__ == "__main__":
    sys.exit(main(Framework("paddle_programs", "paddle_programs.json"), __doc__, VERSIONS))
