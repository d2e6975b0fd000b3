import numpy as np
import tensorflow as tf

x = np.cos(np.arange(2 * 64 * 2) * 0.7).reshape(2, 64, 2).astype("float32")
for mode in ("log", "magnitude", "psd", "real", "imag", "angle", "stft"):
    layer = tf.keras.layers.STFTSpectrogram(mode, frame_length=16, frame_step=8, name=f"of_{mode}")
    found = layer(x).numpy()
    print(mode, found.shape, np.round(found[0, 3, :4] if mode != "angle" else np.abs(found[0, 3, 1:3]), 3).tolist())
    print([(weight.path, tuple(weight.shape)) for weight in layer.weights])
for options in (
    {"window": "hamming", "periodic": True, "scaling": "spectrum"},
    {"window": None, "scaling": None, "padding": "same"},
    {"window": np.ones(16, "float32"), "fft_length": 32},
    {"expand_dims": True},
    {"window": "blackman"},
):
    layer = tf.keras.layers.STFTSpectrogram("magnitude", frame_length=16, **options)
    found = layer(x).numpy()
    print(found.shape, np.round(found.reshape(2, -1)[0, 5:9], 3).tolist())
print(tf.keras.layers.STFTSpectrogram(frame_length=16).compute_output_shape((None, 64, 2)))
config = tf.keras.layers.STFTSpectrogram("psd", frame_length=8).get_config()
print([key for key in config if key not in ("name", "trainable", "dtype")], config["fft_length"])
inputs = tf.keras.Input((64, 1))
outputs = tf.keras.layers.STFTSpectrogram("log", frame_length=16, trainable=True)(inputs)
outputs = tf.keras.layers.Dense(1)(tf.keras.layers.GlobalAveragePooling1D()(outputs))
tf.keras.utils.set_random_seed(1)
model = tf.keras.Model(inputs, outputs)
print(model.output_shape, model.count_params())
model.compile("sgd", "mse")
print(model.fit(x[..., :1], np.ones((2, 1)), epochs=1, verbose=0).history["loss"][0] > 0)
print(np.round(tf.keras.initializers.STFT("imag", "hann")((4, 1, 3)).numpy().ravel(), 4).tolist())
print(type(tf.keras.initializers.get("stft")).__name__, tf.keras.initializers.get("stft").get_config())
for wrong in (
    {"mode": "loud"}, {"frame_step": 20}, {"fft_length": 8}, {"scaling": "mean"}, {"padding": "full"},
):
    try:
        tf.keras.layers.STFTSpectrogram(**{"frame_length": 16, **wrong})
    except ValueError as error:
        print(str(error).splitlines()[0])
