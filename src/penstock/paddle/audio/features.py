"""Layers that turn sounds into spectra, under Paddle's names."""

from __future__ import annotations

from typing import Any

from penstock.paddle import _math, signal
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._names import namespace as _namespace
from penstock.paddle.audio.functional import compute_fbank_matrix, create_dct, get_window, power_to_db
from penstock.paddle.nn._layer import Standard as Layer
from penstock.trace.source_site import here


class Spectrogram(Layer):
    """Spectra of overlapping parts of sounds: [batch, length] becomes [batch, 1 + n_fft // 2, parts].

    >>> from penstock import paddle
    >>> paddle.audio.features.Spectrogram(n_fft=16, hop_length=8)(paddle.ones([1, 64])).shape
    paddle.Size([1, 9, 9])
    """

    def __init__(
        self, n_fft: int = 512, hop_length: int | None = 512, win_length: int | None = None,
        window: Any = "hann", power: float = 1.0, center: bool = True, pad_mode: str = "reflect",
        dtype: Any = "float32",
    ) -> None:  # fmt: skip
        super().__init__()
        if power <= 0:
            raise InvalidValueError("Power of spectrogram must be > 0.", site=here())
        self.n_fft, self.hop_length, self.power = n_fft, hop_length, power
        self.win_length = n_fft if win_length is None else win_length
        self.center, self.pad_mode = center, pad_mode
        self.register_buffer("fft_window", get_window(window, self.win_length, True, dtype))

    def forward(self, x: Any) -> Any:
        """Returns the spectra of x."""
        found = signal.stft(
            x, self.n_fft, self.hop_length, self.win_length, self.fft_window, self.center, self.pad_mode
        )
        return _math.pow(_math.abs(found), self.power)


class MelSpectrogram(Layer):
    """Spectra in mels: [batch, length] becomes [batch, n_mels, parts]."""

    def __init__(
        self, sr: int = 22050, n_fft: int = 2048, hop_length: int | None = 512, win_length: int | None = None,
        window: Any = "hann", power: float = 2.0, center: bool = True, pad_mode: str = "reflect",
        n_mels: int = 64, f_min: float = 50.0, f_max: float | None = None, htk: bool = False,
        norm: Any = "slaney", dtype: Any = "float32",
    ) -> None:  # fmt: skip
        super().__init__()
        self._spectrogram = Spectrogram(n_fft, hop_length, win_length, window, power, center, pad_mode, dtype)
        self.n_mels, self.f_min, self.f_max, self.htk, self.norm = n_mels, f_min, f_max, htk, norm
        filters = compute_fbank_matrix(sr, n_fft, n_mels, f_min, f_max, htk, norm, dtype)
        self.register_buffer("fbank_matrix", filters)

    def forward(self, x: Any) -> Any:
        """Returns the spectra of x in mels."""
        return _math.matmul(self.fbank_matrix, self._spectrogram(x))


class LogMelSpectrogram(Layer):
    """Spectra in mels and decibels: [batch, length] becomes [batch, n_mels, parts]."""

    def __init__(
        self, sr: int = 22050, n_fft: int = 512, hop_length: int | None = None, win_length: int | None = None,
        window: Any = "hann", power: float = 2.0, center: bool = True, pad_mode: str = "reflect",
        n_mels: int = 64, f_min: float = 50.0, f_max: float | None = None, htk: bool = False,
        norm: Any = "slaney", ref_value: float = 1.0, amin: float = 1e-10, top_db: float | None = None,
        dtype: Any = "float32",
    ) -> None:  # fmt: skip
        super().__init__()
        self._melspectrogram = MelSpectrogram(
            sr, n_fft, hop_length, win_length, window, power, center, pad_mode, n_mels, f_min, f_max, htk,
            norm, dtype,
        )  # fmt: skip
        self.ref_value, self.amin, self.top_db = ref_value, amin, top_db

    def forward(self, x: Any) -> Any:
        """Returns the spectra of x in mels and decibels."""
        return power_to_db(self._melspectrogram(x), self.ref_value, self.amin, self.top_db)


class MFCC(Layer):
    """Cepstral coefficients: [batch, length] becomes [batch, n_mfcc, parts]."""

    def __init__(
        self, sr: int = 22050, n_mfcc: int = 40, n_fft: int = 512, hop_length: int | None = None,
        win_length: int | None = None, window: Any = "hann", power: float = 2.0, center: bool = True,
        pad_mode: str = "reflect", n_mels: int = 64, f_min: float = 50.0, f_max: float | None = None,
        htk: bool = False, norm: Any = "slaney", ref_value: float = 1.0, amin: float = 1e-10,
        top_db: float | None = None, dtype: Any = "float32",
    ) -> None:  # fmt: skip
        super().__init__()
        if n_mfcc > n_mels:
            raise AssertionError(f"n_mfcc cannot be larger than n_mels: {n_mfcc} vs {n_mels}")
        self._log_melspectrogram = LogMelSpectrogram(
            sr, n_fft, hop_length, win_length, window, power, center, pad_mode, n_mels, f_min, f_max, htk,
            norm, ref_value, amin, top_db, dtype,
        )  # fmt: skip
        self.register_buffer("dct_matrix", create_dct(n_mfcc, n_mels, dtype=dtype))

    def forward(self, x: Any) -> Any:
        """Returns the coefficients of x."""
        found = self._log_melspectrogram(x)
        return _math.matmul(found.transpose([0, 2, 1]), self.dct_matrix).transpose([0, 2, 1])


__getattr__, __dir__, __all__ = _namespace("paddle.audio.features", globals())
