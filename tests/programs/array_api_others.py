"""Calls SciPy and scikit-learn with tensors and with arrays, and says of each call whether it came to the same."""

import numpy as np
from scipy import fft, integrate, signal, special, stats
from sklearn import config_context, metrics
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder, MinMaxScaler, StandardScaler

import penstock as ps

rng = np.random.default_rng(0)
POINTS = rng.standard_normal((30, 4))
TARGET = POINTS @ [1.0, 2.0, 0.0, -1.0] + 0.1 * rng.standard_normal(30)
CLASSES = (TARGET > 0).astype(int)


def randomized(x):
    return PCA(2, svd_solver="randomized", power_iteration_normalizer="QR", random_state=0).fit_transform(x)


CALLS = {
    "PCA full": (lambda x: PCA(2, svd_solver="full").fit_transform(x), POINTS),
    "PCA randomized": (randomized, POINTS),
    "StandardScaler": (lambda x: StandardScaler().fit_transform(x), POINTS),
    "MinMaxScaler": (lambda x: MinMaxScaler().fit_transform(x), POINTS),
    "Ridge": (lambda x, y: Ridge(solver="svd").fit(x, y).predict(x), POINTS, TARGET),
    "LabelEncoder": (lambda c: LabelEncoder().fit_transform(c), CLASSES),
    "train_test_split": (lambda x: train_test_split(x, random_state=0)[0], POINTS),
    "special.expit": (special.expit, POINTS),
    "special.softmax": (special.softmax, POINTS),
    "special.gammaln": (special.gammaln, abs(POINTS)),
    "special.xlogy": (special.xlogy, abs(POINTS), abs(POINTS)),
    "special.logsumexp": (special.logsumexp, POINTS),
    "stats.skew": (stats.skew, POINTS),
    "stats.zscore": (stats.zscore, POINTS),
    "stats.gmean": (stats.gmean, abs(POINTS)),
    "stats.moment": (lambda x: stats.moment(x, 3), POINTS),
    "stats.ttest_1samp": (lambda x: stats.ttest_1samp(x, 0.0).statistic, POINTS),
    "fft.fft": (fft.fft, POINTS),
    "fft.dct": (fft.dct, POINTS),
    "integrate.trapezoid": (integrate.trapezoid, TARGET),
    "signal.detrend": (signal.detrend, TARGET),
}
for name in ("accuracy_score", "zero_one_loss"):
    CALLS[name] = (getattr(metrics, name), CLASSES, CLASSES[::-1].copy())
for name in ("r2_score", "mean_squared_error", "mean_absolute_error", "max_error"):
    CALLS[name] = (getattr(metrics, name), TARGET, TARGET * 2)
for name in (
    *("euclidean_distances", "linear_kernel", "rbf_kernel", "polynomial_kernel", "additive_chi2_kernel"),
    "paired_euclidean_distances",
):
    CALLS[name] = (getattr(metrics.pairwise, name), abs(POINTS), abs(POINTS) + 0.5)

for name, (function, *data) in CALLS.items():
    want = function(*data)
    try:
        with config_context(array_api_dispatch=True):
            got = function(*map(ps.asarray, data))
    except TypeError as error:
        print(f"{name}: TypeError: {getattr(error, 'remedy', error)}")
        continue
    ours = isinstance(got, ps.Tensor) or not np.ndim(want)
    print(f"{name}: {'alike' if ours and np.allclose(np.asarray(got), want, atol=1e-6) else 'different'}")
