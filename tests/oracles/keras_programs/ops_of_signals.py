import numpy as np
import tensorflow as tf

ops = tf.keras.ops
x = np.array([[0.5, -1.5, 2.0, 1.0, 0.25, -0.75, 3.0, 0.1]], dtype="float32")
y = np.array([[1.0, 0.0, -2.0, 0.5, 0.5, 1.5, -1.0, 2.0]], dtype="float32")
long = np.sin(np.arange(40, dtype="float32") * 0.7)[None]


def shown(value):
    if isinstance(value, (tuple, list)):
        return [shown(one) for one in value]
    array = ops.convert_to_numpy(value)
    parts = (array.real, array.imag) if array.dtype.kind == "c" else (array,)
    return array.dtype.name, [(np.round(one.astype("float64"), 3) + 0.0).tolist() for one in parts]


print(shown(ops.fft((x, y))))
print(shown(ops.fft2((x.reshape(2, 4), y.reshape(2, 4)))), shown(ops.ifft2((x.reshape(2, 4), y.reshape(2, 4)))))
print(shown(ops.rfft(x)), shown(ops.rfft(x, 6)))
print(shown(ops.irfft((x[:, :5], y[:, :5]))), shown(ops.irfft((x[:, :5], y[:, :5]), 6)))
for window in ("hann", "hamming", None, np.ones(6, "float32")):
    for center in (True, False):
        made = ops.stft(long, 6, 3, 8, window=window, center=center)
        print(made[0].shape, shown([part[:, :2] for part in made]))
        if window is not None or center:
            back = ops.istft(made, 6, 3, 8, window=window, center=center)
            print(back.shape, shown(back[:, 6:12]))
print(ops.istft(ops.stft(long, 6, 3, 8), 6, 3, 8, length=20).shape)
print(shown(ops.extract_sequences(x, 4, 2)))
pairs = np.array([[1.0, 2.0], [0.5, -1.0]], dtype="float32")
print(shown(ops.view_as_complex(pairs)), shown(ops.view_as_real(ops.view_as_complex(pairs))))
print(shown(ops.polar(pairs, pairs)))
weight = tf.Variable(x)
with tf.GradientTape() as tape:
    real, imag = ops.rfft(weight)
    loss = ops.sum(real * 2.0 - imag) + ops.sum(ops.stft(weight, 4, 2, 4)[0])
print(shown(tape.gradient(loss, weight)))
model = tf.keras.Model(given := tf.keras.Input((8,)), ops.rfft(given))
print([one.shape for one in model.outputs], shown(model(x)))
for text in (
    "ops.fft([x])", "ops.fft((x, y[:, :4]))", "ops.fft((x.astype('int32'), y))", "ops.stft(long, 8, 3, 6)",
    "ops.stft(long, 6, 0, 8)", "ops.stft(long, 6, 3, 8, window='flat')", "ops.view_as_complex(x)",
    "ops.stft(long, 6, 3, 8, window=np.ones(3, 'float32'))",
):
    try:
        eval(text)
    except (ValueError, TypeError) as problem:
        print(isinstance(problem, TypeError), str(problem).partition("\n")[0].partition(" Received")[0].partition("Received")[0])
