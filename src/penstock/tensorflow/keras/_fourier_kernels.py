"""The initializer of kernels whose convolution is a short-time Fourier transform."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._convert import constant
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras._drawn_initializers import dtype_of
from penstock.tensorflow.keras.initializers import Initializer
from penstock.trace.source_site import here

_COSINES = {
    "blackman": (0.42, 0.50, 0.08),
    "boxcar": (1.0,),
    "hamming": (0.54, 0.46),
    "hann": (0.5, 0.5),
    "rectangular": (1.0,),
}
"""Windows that are sums of cosines, by name."""


def window_of(given: Any, length: int, periodic: bool) -> Any:
    """Returns a window of a length: that of a name, or an array as it is.

    Raises ArgumentError for an unknown name, and for an array of another length.
    """
    if isinstance(given, str):
        if given in _COSINES:
            return _sum_of_cosines(_COSINES[given], length, periodic)
        return _of_scipy(given, length, periodic)
    window = np.asarray(given)
    if window.shape != (length,):
        raise ArgumentError(
            f"The shape of `window` must be equal to [frame_length].Received: window shape={window.shape}",
            site=here(),
        )
    return window


def check_window(given: Any) -> None:
    """Raises ArgumentError for a name that is none of a window."""
    if isinstance(given, str):
        window_of(given, 1, False)


def _sum_of_cosines(parts: tuple[float, ...], length: int, periodic: bool) -> Any:
    if length <= 1:
        return np.ones(length)
    places = np.linspace(-np.pi, np.pi, length + periodic)
    window = np.zeros(len(places))
    for number, part in enumerate(parts):
        window += part * np.cos(number * places)
    return window[:length]


def _of_scipy(name: str, length: int, periodic: bool) -> Any:
    try:
        from scipy.signal import get_window
    except ImportError:
        raise ArgumentError(
            f"The window {name!r} is one of SciPy's, which is not installed.",
            remedy=f"pip install scipy, give an array, or one of {', '.join(sorted(_COSINES))}.",
            site=here(),
        ) from None
    try:
        return get_window(name, length, periodic)
    except ValueError as error:
        raise ArgumentError(str(error), site=here()) from error


@named("tf.keras.initializers.STFT", "tf.keras.initializers.STFTInitializer", "tf.keras.initializers.stft")
class STFT(Initializer):
    """Gives kernels [frame_length, 1, fft_length // 2 + 1] whose convolution is a Fourier transform.

    Args:
        side: "real" or "imag": which part of the transform.
        window: "hann", "hamming" or another name, an array, or None.
        scaling: "density" divides by the window's length, "spectrum" by its sum; None by nothing.
        periodic: whether the window is that of a periodic signal.

    Raises:
        ArgumentError: for another word.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.initializers.STFT("real", window=None)((4, 1, 3)).numpy()[2].round(3)
    array([[ 1., -1.,  1.]], dtype=float32)
    """

    def __init__(
        self, side: str = "real", window: Any = "hann", scaling: Any = "density", periodic: bool = False
    ) -> None:
        if side not in ("real", "imag"):
            raise ArgumentError(f"side should be 'real' or 'imag', not {side}", site=here())
        check_window(window)
        if scaling not in (None, "density", "spectrum"):
            raise ArgumentError(
                f"Scaling is invalid, it must be `None`, 'density' or 'spectrum'. Received scaling={scaling}",
                site=here(),
            )
        self.side, self.window, self.scaling, self.periodic = side, window, scaling, periodic

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        """Returns the kernel, step by step in the dtype of the variable, as Keras computes it."""
        kind = dtype_of(dtype).type
        frame, _, bins = (int(n) for n in shape)
        frequencies = np.arange(bins, dtype=kind).reshape(1, 1, bins) / kind((bins - 1) * 2)
        times = np.arange(frame, dtype=kind).reshape(frame, 1, 1)
        angles = kind(-2) * times * frequencies * np.arccos(kind(-1))
        kernel = np.cos(angles) if self.side == "real" else np.sin(angles)
        if self.window is not None:
            window = window_of(self.window, frame, self.periodic).astype(kind).reshape(frame, 1, 1)
            divisor = kind(1)
            if self.scaling is not None:
                density = self.scaling == "density"
                divisor = np.sqrt(np.sum(np.square(window))) if density else np.sum(np.abs(window))
            kernel = kernel * window / divisor
        return constant(kernel.astype(kind))

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an initializer like this one."""
        return {
            "side": self.side,
            "window": self.window,
            "periodic": self.periodic,
            "scaling": self.scaling,
        }


__all__ = ["STFT", "check_window", "window_of"]
