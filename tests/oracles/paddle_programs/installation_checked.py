import warnings

import paddle
from paddle.utils.install_check import run_check

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # Paddle warns of its own test.
    run_check()
    paddle.utils.run_check()
