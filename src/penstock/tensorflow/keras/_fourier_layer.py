"""Spectrograms by convolutions, whose kernels can be trained."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import penstock as ps
from penstock.declared import named
from penstock.tensorflow import _arrays, _elementwise
from penstock.tensorflow._convert import constant
from penstock.tensorflow._convolution import convolution
from penstock.tensorflow._errors import ArgumentError, NumberError
from penstock.tensorflow.keras._defaults import epsilon
from penstock.tensorflow.keras._fourier_kernels import STFT, check_window
from penstock.tensorflow.keras._layer import Layer
from penstock.trace.source_site import here

_MODES = ("log", "magnitude", "psd", "real", "imag", "angle", "stft")


@named("tf.keras.layers.STFTSpectrogram")
class STFTSpectrogram(Layer):
    """Sounds [batch, samples, channels] as [batch, frames, channels * bins]: Fourier transforms of frames.

    Args:
        mode: "log" or "magnitude" of the transform, "psd", the power of both sides, "real", "imag", "angle",
            or "stft", the real parts and then the imaginary ones.
        frame_length: the number of samples in a frame, an int.
        frame_step: the number of samples from frame to frame; None for half of `frame_length`.
        fft_length: the length that frames are transformed in; None for the next power of two.
        window: "hann", "hamming" or another name, an array, or None.
        periodic: whether the window is that of a periodic signal.
        scaling: "density", "spectrum" or None: by what of the window results are divided.
        padding: "valid" or "same".
        expand_dims: whether results are pictures: [batch, frames, bins, channels].
        data_format: "channels_last" or "channels_first", where the channels are one axis earlier.
        options: options of every layer: `name`, `dtype`, `trainable`; see `Layer`.

    Raises:
        ArgumentError: for a word or a number that is not allowed.

    >>> import numpy as np
    >>> from penstock import tensorflow as tf
    >>> tf.keras.layers.STFTSpectrogram(frame_length=64)(np.ones((2, 320, 1), "float32")).shape
    TensorShape([2, 9, 33])
    """

    def __init__(
        self, mode: str = "log", frame_length: int = 256, frame_step: Any = None, fft_length: Any = None,
        window: Any = "hann", periodic: bool = False, scaling: Any = "density", padding: str = "valid",
        expand_dims: bool = False, data_format: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        if frame_step is not None and not 1 <= frame_step <= frame_length:
            self._refuse(
                "`frame_step` should be a positive integer not greater than `frame_length`. Received "
                f"frame_step={frame_step}, frame_length={frame_length}"
            )
        if fft_length is not None and fft_length < frame_length:
            self._refuse(
                "`fft_length` should be not less than `frame_length`. Received "
                f"fft_length={fft_length}, frame_length={frame_length}"
            )
        if fft_length is not None and fft_length & -fft_length != fft_length:
            warnings.warn(
                f"`fft_length` is recommended to be a power of two. Received fft_length={fft_length}",
                stacklevel=2,
            )
        if mode not in _MODES:
            self._refuse(
                f"Output mode is invalid, it must be one of {', '.join(_MODES)}. Received: mode={mode}"
            )
        if scaling not in (None, "density", "spectrum"):
            self._refuse(
                f"Scaling is invalid, it must be `None`, 'density' or 'spectrum'. Received scaling={scaling}"
            )
        if padding not in ("valid", "same"):
            self._refuse(f"Padding is invalid, it should be 'valid', 'same'. Received: padding={padding}")
        check_window(window)
        super().__init__(**options)
        self.mode, self.frame_length, self.frame_step = mode, frame_length, frame_step
        self.fft_length, self.window, self.periodic = fft_length, window, periodic
        self.scaling, self.padding, self.expand_dims = scaling, padding, expand_dims
        self.data_format = data_format or "channels_last"
        self._step = frame_step or frame_length // 2
        self._bins = (fft_length or 2 ** math.ceil(math.log2(frame_length))) // 2 + 1

    @staticmethod
    def _refuse(fact: str) -> None:
        raise ArgumentError(fact, site=here())

    def build(self, input_shape: Any) -> None:
        """Makes the kernels: of the real part, of the imaginary one, or both.

        `input_shape` does nothing: a kernel is for one channel, and is repeated for the channels there are.
        """
        for side, other in (("real", "imag"), ("imag", "real")):
            if self.mode != other:
                made = self.add_weight(
                    (self.frame_length, 1, self._bins), STFT(side, self.window, self.scaling, self.periodic),
                    name=f"{side}_kernel",
                )  # fmt: skip
                setattr(self, f"{side}_kernel", made)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        if inputs._spec.dtype.name not in ("float16", "float32", "float64"):
            raise NumberError(
                "Invalid input type. Expected `float16`, `float32` or `float64`. Received: input "
                f"type={inputs._spec.dtype.name}",
                site=here(),
            )
        if self.mode in ("real", "imag"):
            return self._arranged(self._transformed(inputs, getattr(self, f"{self.mode}_kernel")))
        real, imaginary = (self._transformed(inputs, one) for one in (self.real_kernel, self.imag_kernel))
        if self.mode == "angle":
            return self._arranged(ps.atan2(imaginary, real))
        if self.mode == "stft":
            return self._arranged(ps.concat([real, imaginary], axis=2))
        power = real * real + imaginary * imaginary
        if self.mode == "psd":
            around = constant(np.array([(0, 0), (0, 0), (1, 1), (0, 0)], np.int32))
            return self._arranged(power + _arrays.pad(power[:, :, 1:-1], around))
        made = self._arranged(ps.sqrt(ps.maximum(power, epsilon())))
        return made if self.mode == "magnitude" else ps.log(ps.maximum(made, epsilon()))

    def _transformed(self, inputs: Any, kernel: Any) -> Any:
        """Returns a part of the transforms: [batch, channels, bins, frames]."""
        last = self.data_format == "channels_last"
        channels = inputs._spec.shape[2 if last else 1]
        samples = inputs._spec.shape[1 if last else 2]
        flat = _arrays.transpose(inputs, (0, 2, 1)) if last else inputs
        flat = _arrays.reshape(flat, (-1, samples, 1) if last else (-1, 1, samples))
        kernel = _elementwise.cast(kernel, flat._spec.dtype)
        layout = "NWC" if last else "NCW"
        made = convolution(flat, kernel, self._step, self.padding.upper(), layout)
        made = _arrays.transpose(made, (0, 2, 1)) if last else made
        return _arrays.reshape(made, (-1, channels, *made._spec.shape[1:]))

    def _arranged(self, made: Any) -> Any:
        _, channels, bins, frames = made._spec.shape
        last = self.data_format == "channels_last"
        if self.expand_dims:
            return _arrays.transpose(made, (0, 3, 2, 1) if last else (0, 1, 3, 2))
        made = _arrays.reshape(made, (-1, channels * bins, frames))
        return _arrays.transpose(made, (0, 2, 1)) if last else made


__all__ = ["STFTSpectrogram"]
