"""Fourier transforms in all their forms, with gradients, and short-time ones."""

import numpy as np
import paddle

rng = np.random.default_rng(0)
x = rng.normal(size=(3, 4)).astype("float32")
c = (x + 1j * rng.normal(size=(3, 4))).astype("complex64")


def shown(word, found):
    array = np.asarray(found)
    parts = [array.real, array.imag] if np.iscomplexobj(array) else [array]
    print(
        word,
        list(array.shape),
        array.dtype,
        [round(float(np.sum(one * np.cos(np.arange(one.size)).reshape(one.shape))), 3) for one in parts],
    )


for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    given = paddle.to_tensor(x if name in ("rfft", "ihfft") else c)
    for options in ({}, {"n": 6}, {"axis": 0}, {"norm": "ortho"}, {"norm": "forward", "n": 3}):
        shown(f"{name} {options}", getattr(paddle.fft, name)(given, **options))
    for last in "2n":
        for options in ({}, {"s": (2, 5)}, {"axes": (0, 1), "norm": "ortho"}, {"axes": (1, 0)}):
            shown(f"{name}{last} {options}", getattr(paddle.fft, name + last)(given, **options))
shown("fftfreq", paddle.fft.fftfreq(5, 0.5))
shown("rfftfreq", paddle.fft.rfftfreq(6))
shown("fftshift", paddle.fft.fftshift(paddle.to_tensor(x)))
shown("ifftshift", paddle.fft.ifftshift(paddle.to_tensor(x)))
leaf = paddle.to_tensor(x, stop_gradient=False)
for name, loss in (
    ("rfft", lambda: (paddle.fft.rfft(leaf).abs() ** 2).sum()),
    ("fft2", lambda: paddle.fft.fft2(leaf).abs().sum()),
    ("irfft", lambda: (paddle.fft.irfft(paddle.fft.rfft(leaf) * 2.0) ** 2).sum()),
):
    leaf.clear_grad()
    loss().backward()
    shown(f"gradient of {name}", leaf.grad)
signal = paddle.to_tensor(rng.normal(size=(2, 32)).astype("float32"))
window = paddle.to_tensor(np.hanning(8).astype("float32"))
for options in ({}, {"hop_length": 3, "window": window}, {"normalized": True, "onesided": False}):
    found = paddle.signal.stft(signal, 8, **options)
    shown("stft", found)
    shown("istft", paddle.signal.istft(found, 8, **options))
shown("stft", paddle.signal.stft(signal[0], 8, center=False))
shown("istft", paddle.signal.istft(paddle.signal.stft(signal[0], 8), 8, length=30))
