import numpy as np
import tensorflow as tf

t = np.arange(24, dtype=np.float32)
wave = tf.constant(np.sin(t / 3) + 0.5 * np.cos(t * 1.3))


def show(x):
    x = np.asarray(x)
    numbers = x.reshape(-1)[:40]
    parts = [numbers.real, numbers.imag] if x.dtype.kind == "c" else [numbers]
    print(x.shape, x.dtype, *[(np.round(one.astype(float), 3) + 0.0).tolist() for one in parts])


print("transforms")
z = tf.complex(tf.reshape(wave, [2, 3, 4]), tf.reshape(tf.reverse(wave, [0]), [2, 3, 4]))
for f in (tf.signal.fft, tf.signal.fft2d, tf.signal.fft3d, tf.signal.ifft, tf.signal.ifft2d, tf.signal.ifft3d):
    show(f(z))
x = tf.reshape(wave, [2, 3, 4])
for f in (tf.signal.rfft, tf.signal.rfft2d, tf.signal.rfft3d):
    show(f(x))
show(tf.signal.rfft(wave, [32]))
show(tf.signal.rfft(wave, [10]))
show(tf.signal.rfft2d(x, [4, 6]))
for f in (tf.signal.irfft, tf.signal.irfft2d, tf.signal.irfft3d):
    show(f(z))
show(tf.signal.irfft(z, [5]))
show(tf.signal.fftshift([[0, 1, 2], [3, 4, 5]]))
show(tf.signal.fftshift([[0, 1, 2], [3, 4, 5]], axes=1))
show(tf.signal.ifftshift([0, 1, 2, 3, 4]))
print("windows")
for length in (1, 2, 5, 8):
    for periodic in (True, False):
        show(tf.signal.hann_window(length, periodic))
        show(tf.signal.hamming_window(length, periodic=periodic))
show(tf.signal.kaiser_window(6))
show(tf.signal.kaiser_window(6, 4.0, tf.float64))
show(tf.signal.vorbis_window(6))
print("frames")
show(tf.signal.frame(wave, 7, 4))
show(tf.signal.frame(wave, 7, 4, pad_end=True, pad_value=9))
show(tf.signal.frame(tf.reshape(wave, [12, 2]), 5, 3, axis=0))
show(tf.signal.frame([1, 2, 3], 5, 1))
show(tf.signal.overlap_and_add(tf.reshape(wave, [2, 3, 4]), 2))
show(tf.signal.overlap_and_add(tf.reshape(wave, [6, 4]), 5))
spectrogram = tf.signal.stft(wave, 8, 4)
show(spectrogram)
show(tf.signal.stft(wave, 6, 3, 7, window_fn=None, pad_end=True))
show(tf.signal.inverse_stft(spectrogram, 8, 4, window_fn=tf.signal.inverse_stft_window_fn(4)))
show(tf.signal.inverse_stft(spectrogram, 8, 4))
print("cosines and mel")
for kind in (1, 2, 3, 4):
    show(tf.signal.dct(x, type=kind))
    show(tf.signal.idct(tf.signal.dct(x, kind), kind))
for kind in (2, 3, 4):
    show(tf.signal.dct(x, kind, norm="ortho"))
show(tf.signal.dct(x, n=3))
show(tf.signal.dct(x, n=6))
mel = tf.signal.linear_to_mel_weight_matrix(4, 9, 8000)
show(mel)
show(tf.signal.mfccs_from_log_mel_spectrograms(tf.math.log(tf.abs(tf.signal.stft(wave, 16, 4)) @ mel + 1e-3)))
print("gradients")
v = tf.Variable(wave)
with tf.GradientTape(persistent=True) as tape:
    power = tf.reduce_sum(tf.abs(tf.signal.stft(v, 8, 4)) ** 2)
    cepstrum = tf.reduce_sum(tf.signal.dct(v)[:5] ** 2)
    back = tf.reduce_sum(tf.signal.irfft(tf.signal.rfft(v) * tf.cast(tf.range(13), tf.complex64)) ** 3)
for loss in (power, cepstrum, back):
    show(tape.gradient(loss, v))
print("bits")
a, b = tf.constant([0, 5, 3, 14]), tf.constant([5, 0, 7, 11])
for f in (tf.bitwise.bitwise_and, tf.bitwise.bitwise_or, tf.bitwise.bitwise_xor, tf.bitwise.left_shift):
    show(f(a, b))
show(tf.bitwise.right_shift(tf.constant([-8, 8], tf.int8), tf.constant([1, 2], tf.int8)))
show(tf.bitwise.invert(tf.constant([0, 1, 255], tf.uint8)))
