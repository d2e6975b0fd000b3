"""Sounds as pictures: how loud each frequency is, over time."""

from __future__ import annotations

from typing import Any

import numpy as np

import penstock as ps
from penstock.declared import named
from penstock.tensorflow import _arrays, _elementwise
from penstock.tensorflow import _signal as signal
from penstock.tensorflow._convert import constant, operand
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras._preparing import Prepares
from penstock.trace.source_site import here


@named("tf.keras.layers.MelSpectrogram")
class MelSpectrogram(Prepares):
    """Sounds [batch, samples] as [batch, num_mel_bins, frames]: how loud bands of the mel scale are.

    A frame of `sequence_length` samples, under a `window` ("hann", "hamming", an array or None), begins every
    `sequence_stride` samples. With `power_to_db`, loudness is in decibels over `ref_power`, and at most
    `top_db` below the loudest. Raises ArgumentError for a frame that is longer than `fft_length`.

    >>> import numpy as np
    >>> from penstock import tensorflow as tf
    >>> layer = tf.keras.layers.MelSpectrogram(fft_length=64, sequence_stride=32, num_mel_bins=8)
    >>> layer(np.ones((2, 320), "float32")).shape
    TensorShape([2, 8, 11])
    """

    def __init__(
        self, fft_length: int = 2048, sequence_stride: int = 512, sequence_length: Any = None,
        window: Any = "hann", sampling_rate: int = 16000, num_mel_bins: int = 128, min_freq: float = 20.0,
        max_freq: Any = None, power_to_db: bool = True, top_db: float = 80.0, mag_exp: float = 2.0,
        min_power: float = 1e-10, ref_power: float = 1.0, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(**options)
        self.fft_length, self.sequence_stride, self.window = fft_length, sequence_stride, window
        self.sequence_length = sequence_length or fft_length
        if self.fft_length < self.sequence_length:
            raise ArgumentError(
                "`fft_length` must be greater than or equal to `sequence_length`. Received: "
                f"`sequence_length`={self.sequence_length}, `fft_length`={self.fft_length}.",
                site=here(),
            )
        if isinstance(window, str) and window not in ("hann", "hamming"):
            raise ArgumentError(
                f'If a string is passed to `window`, it must be one of `"hann"`, `"hamming"`. Received: '
                f"window={window}",
                site=here(),
            )
        self.sampling_rate, self.num_mel_bins, self.min_freq = sampling_rate, num_mel_bins, min_freq
        self.max_freq = max_freq or int(sampling_rate / 2)
        self.power_to_db, self.top_db, self.mag_exp = power_to_db, top_db, mag_exp
        self.min_power, self.ref_power = min_power, ref_power

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        x = _elementwise.cast(operand(inputs), "float32")
        half = self.fft_length // 2
        around = [(0, 0)] * (len(x._spec.shape) - 1) + [(half, half)]
        x = _arrays.pad(x, constant(np.array(around, np.int32)), mode="REFLECT")
        found = signal.stft(x, self.fft_length, self.sequence_stride, self.fft_length, window_fn=self._window)
        loud = ps.abs(found) ** float(self.mag_exp)
        made = ps.matmul(loud, constant(self._bands()))
        made = self._in_decibels(made) if self.power_to_db else made
        rank = len(made._spec.shape)
        turned = _arrays.transpose(made, (*range(rank - 2), rank - 1, rank - 2))
        return _elementwise.cast(turned, self.compute_dtype)

    def _window(self, length: int, dtype: Any = "float32") -> Any:
        own = self.sequence_length
        if self.window is None:
            values = np.ones(own, np.float32)
        elif isinstance(self.window, str):
            make = signal.hann_window if self.window == "hann" else signal.hamming_window
            values = make(own, periodic=True).numpy()
        else:
            values = np.asarray(self.window, np.float32)
        before = (self.fft_length - own) // 2
        return constant(np.pad(values, (before, self.fft_length - own - before)))

    def _in_decibels(self, power: Any) -> Any:
        logarithm = 10.0 / np.log(10.0)
        made = logarithm * ps.log(ps.maximum(power, self.min_power))
        made = made - logarithm * float(np.log(max(abs(self.ref_power), self.min_power)))
        return ps.maximum(made, ps.max(made) - self.top_db)

    def _bands(self) -> Any:
        """Returns how much each frequency belongs to each band: triangles on the mel scale."""

        def mel(frequency: Any) -> Any:
            return 1127.0 * np.log(1.0 + frequency / 700.0)

        count = self.fft_length // 2 + 1
        own = mel(np.linspace(0.0, self.sampling_rate / 2.0, count)[1:])[:, None]
        edges = np.linspace(mel(self.min_freq), mel(self.max_freq), self.num_mel_bins + 2)
        low, middle, high = edges[:-2], edges[1:-1], edges[2:]
        rising, falling = (own - low) / (middle - low), (high - own) / (high - middle)
        triangles = np.maximum(0.0, np.minimum(rising, falling))
        return np.pad(triangles, [(1, 0), (0, 0)]).astype(np.float32)
