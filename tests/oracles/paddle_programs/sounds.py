"""Spectra of sounds: windows, mels, decibels, and the layers that compute them, with gradients."""

import warnings

import numpy as np

import paddle
from paddle.audio import functional as A
from paddle.audio.features import MFCC, LogMelSpectrogram, MelSpectrogram, Spectrogram

warnings.simplefilter("ignore")
KINDS = (
    "hamming", "hann", ("kaiser", 12.0), "bartlett", "nuttall", ("gaussian", 7), ("exponential", None, 3.0),
    "triang", "bohman", "blackman", "cosine", ("tukey", 0.4), "taylor", ("taylor", 5, 35),
)  # fmt: skip
for kind in KINDS:
    for length in (8, 9):
        periodic, symmetric = (A.get_window(kind, length, fftbins=one).numpy() for one in (True, False))
        print(kind, (abs(periodic) + 1).round(4).tolist(), (abs(symmetric) + 1).round(4).tolist())

pitches = paddle.to_tensor([100.0, 1000.0, 5000.0], dtype="float64")
for htk in (False, True):
    print(round(A.hz_to_mel(440.0, htk), 4), round(A.mel_to_hz(30.0, htk), 4))
    print(A.hz_to_mel(pitches, htk).numpy().round(4).tolist())
    print(A.mel_to_hz(pitches / 100, htk).numpy().round(4).tolist())
print(A.mel_frequencies(6, 20.0, 8000.0, True, "float64").numpy().round(3).tolist())
print(A.fft_frequencies(16000, 8).tolist())
for options in ({}, {"norm": 2.0}, {"norm": None}, {"htk": True, "f_min": 50.0, "f_max": 3000.0}):
    filters = A.compute_fbank_matrix(8000, 64, n_mels=6, dtype="float64", **options)
    print(filters.shape, filters.numpy().sum(1).round(4).tolist())
print((A.create_dct(3, 5).numpy() + 1).round(3).tolist(), (A.create_dct(2, 3, None).numpy() + 1).round(4).tolist())
power = paddle.to_tensor([[1e-12, 0.5], [2.0, 100.0]])
print(A.power_to_db(power).numpy().round(3).tolist(), A.power_to_db(power, 2.0, 1e-5, None).numpy().round(3))

times = np.arange(600)
sound = np.sin(times * 0.3) + 0.4 * np.cos(times * times * 0.01)
x = paddle.to_tensor(sound.astype("float32").reshape(2, 300), stop_gradient=False)
for layer in (
    Spectrogram(64, 32),
    Spectrogram(64, 16, 48, "hamming", 2.0, False),
    MelSpectrogram(8000, 64, 32, n_mels=8),
    LogMelSpectrogram(8000, 64, 32, n_mels=8, top_db=40.0),
    MFCC(8000, 5, 64, 32, n_mels=8),
):
    y = layer(x)
    y.sum().backward()
    print(type(layer).__name__, y.shape, y.numpy()[0].ravel()[:4].round(2).tolist())
    print(sorted((name, tuple(one.shape)) for name, one in layer.state_dict().items()))
    print(x.grad.numpy()[0, 100:103].round(1).tolist())
    x.clear_grad()

print(paddle.nn.functional.one_hot(paddle.to_tensor([0, 2])).tolist())
queries = paddle.to_tensor(np.linspace(0, 1, 24, dtype="float32").reshape(3, 2, 4))
attended = paddle.nn.functional.scaled_dot_product_attention(queries, queries, queries, is_causal=True)
print(attended.shape, attended.numpy().round(4)[1].tolist())
