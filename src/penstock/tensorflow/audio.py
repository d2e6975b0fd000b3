"""tf.audio: sound as WAV files hold it."""

from __future__ import annotations

import io as _io
import wave as _wave
from typing import Any, NamedTuple

import numpy as _np

from penstock.declared import named as _named
from penstock.tensorflow._convert import constant as _constant
from penstock.tensorflow._convert import tensor_of as _tensor_of
from penstock.tensorflow._errors import InvalidArgumentError as _InvalidArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._strings import StringTensor as _StringTensor
from penstock.tensorflow._strings import strings as _strings
from penstock.trace.source_site import here as _here


class DecodeWav(NamedTuple):
    """The samples of a file, from -1 to 1, as [samples, channels], and how many there are in a second."""

    audio: Any
    sample_rate: Any


@_named("tf.audio.decode_wav")
def decode_wav(
    contents: Any, desired_channels: int = -1, desired_samples: int = -1, name: Any = None
) -> DecodeWav:
    """Returns the samples of a WAV file of 16 bits, given as a string, and how many there are in a second.

    `desired_channels` beyond those there are repeat the last one. Sound that is shorter than
    `desired_samples` is filled up with zeros, and longer sound is cut.

    >>> from penstock import tensorflow as tf
    >>> written = tf.audio.encode_wav([[0.5], [-0.25]], 16000)
    >>> sound, rate = tf.audio.decode_wav(written)
    >>> sound.numpy().tolist(), int(rate)
    ([[0.5], [-0.25]], 16000)
    """
    data = _strings(contents).numpy()
    try:
        with _wave.open(_io.BytesIO(data)) as file:
            width, channels = file.getsampwidth(), file.getnchannels()
            rate, frames = file.getframerate(), file.readframes(file.getnframes())
    except (EOFError, _wave.Error) as error:
        raise _InvalidArgumentError(
            f"Header mismatch: Expected RIFF but found {data[:4].decode('latin-1')}"
            if data[:4] != b"RIFF"
            else f"The WAV file cannot be read: {error}",
            site=_here(),
        ) from None
    if width != 2:
        raise _InvalidArgumentError(f"Can only read 16-bit WAV files, but received {8 * width}", site=_here())
    samples = _np.frombuffer(frames, "<i2").reshape(-1, channels)
    sound = samples.astype(_np.float32) / _np.float32(32768)
    wanted = channels if int(desired_channels) < 1 else int(desired_channels)
    sound = sound[:, _np.minimum(_np.arange(wanted), channels - 1)]
    if int(desired_samples) >= 0:
        missing = max(0, int(desired_samples) - len(sound))
        sound = _np.pad(sound[: int(desired_samples)], ((0, missing), (0, 0)))
    return DecodeWav(_constant(sound), _constant(_np.int32(rate)))


@_named("tf.audio.encode_wav")
def encode_wav(audio: Any, sample_rate: Any, name: Any = None) -> Any:
    """Returns a WAV file of 16 bits as a string, of samples [samples, channels] from -1 to 1."""
    sound = _np.asarray(_tensor_of(audio).numpy())
    if sound.ndim != 2:
        raise _InvalidArgumentError(f"audio must be 2-dimensional{list(sound.shape)}", site=_here())
    scaled = sound.astype(_np.float64) * 32768
    whole = _np.clip(_np.trunc(scaled + _np.copysign(0.5, scaled)), -32768, 32767).astype("<i2")
    written = _io.BytesIO()
    with _wave.open(written, "wb") as file:
        file.setnchannels(sound.shape[1])
        file.setsampwidth(2)
        file.setframerate(int(_tensor_of(sample_rate).numpy()))
        file.writeframes(whole.tobytes())
    return _StringTensor(written.getvalue())


__getattr__, __dir__, __all__ = _namespace("tf.audio", globals())
