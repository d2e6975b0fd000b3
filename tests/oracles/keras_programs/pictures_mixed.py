import numpy as np
import tensorflow as tf

keras, L = tf.keras, tf.keras.layers
draws = np.random.RandomState(0)
pictures = (draws.rand(2, 5, 6, 3) * 255).astype("float32")


def show(value):
    print(value.dtype.name, tuple(value.shape), np.round(np.asarray(value.numpy(), "float64").ravel()[::7], 3).tolist())


def changed(*layers):
    for layer in layers:
        print(layer.name)
        for training in (True, False):
            show(layer(tf.constant(pictures), training=training))
        show(layer(tf.constant(pictures[0]), training=True))
        if hasattr(layer, "generator"):
            print(layer.generator.state.numpy().tolist())


keras.utils.set_random_seed(3)
changed(L.AugMix(num_chains=2, chain_depth=2, seed=5), L.AugMix(num_chains=1, all_ops=False), L.RandAugment(seed=5))
for layer in (L.MixUp(alpha=0.3, seed=5), L.CutMix(factor=0.8, seed=5)):
    for training in (True, False):
        made = layer({"images": tf.constant(pictures), "labels": tf.constant([[1.0, 0.0], [0.0, 1.0]])}, training=training)
        show(made["images"])
        print(np.round(made["labels"].numpy(), 4).tolist())
    show(layer(tf.constant(pictures), training=True))
    print(layer.generator.state.numpy().tolist())
sounds = tf.constant(draws.randn(2, 2500).astype("float32"))
for options in (
    {"num_mel_bins": 8, "sampling_rate": 8000, "sequence_stride": 32, "fft_length": 128},
    {"num_mel_bins": 6, "fft_length": 64, "sequence_length": 50, "sequence_stride": 16, "power_to_db": False},
    {"num_mel_bins": 6, "fft_length": 64, "sequence_stride": 16, "window": "hamming", "ref_power": 2.0},
):
    layer = L.MelSpectrogram(**options)
    made = layer(sounds)
    print(made.shape, np.round(made.numpy()[:, :, :4].astype("float64"), 2).tolist())
    print(layer(sounds[0]).shape, tuple(layer.compute_output_shape((None, 2500))))
