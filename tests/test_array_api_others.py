"""SciPy and scikit-learn take our tensors through the array API, where their code assigns no items."""

import functools
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "programs" / "array_api_others.py"
TAKEN = [
    *("PCA full", "PCA randomized", "accuracy_score", "zero_one_loss", "mean_squared_error"),
    *("mean_absolute_error", "max_error", "euclidean_distances", "linear_kernel", "rbf_kernel"),
    *("polynomial_kernel", "additive_chi2_kernel", "paired_euclidean_distances", "LabelEncoder"),
    *("train_test_split", "special.expit", "special.softmax", "special.gammaln", "special.xlogy"),
    *("stats.skew", "stats.ttest_1samp", "stats.gmean", "stats.moment", "fft.fft", "fft.dct"),
    *("integrate.trapezoid", "signal.detrend"),
]
# These write into arrays they have made: a TypeError names the tensor's alternative.
ASSIGN = ["StandardScaler", "MinMaxScaler", "Ridge", "r2_score", "special.logsumexp", "stats.zscore"]


@functools.cache
def results():
    """The result of each call; in a new process, because SciPy needs its switch set before its import."""
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    command = [sys.executable, "-W", "ignore", str(SCRIPT)]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return dict(line.split(": ", 1) for line in run.stdout.splitlines())


@pytest.mark.parametrize("name", TAKEN)
def test_takes_tensors_and_returns_its_results_with_numpy(name):
    assert results()[name] == "alike"


@pytest.mark.parametrize("name", ASSIGN)
def test_an_assignment_is_refused_with_the_remedy(name):
    assert results()[name] == "TypeError: Make a new tensor: x = x.at[key].set(value)."


def test_every_call_is_accounted_for():
    assert set(results()) == {*TAKEN, *ASSIGN}
