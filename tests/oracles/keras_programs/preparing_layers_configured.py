import tensorflow as tf

layers = tf.keras.layers


def shown(layer):
    config = layer.get_config()
    dtype = config.pop("dtype", None)
    print(type(layer).__name__, dtype["config"]["name"] if isinstance(dtype, dict) else dtype)
    for name in sorted(set(config) - {"name"}):
        print("   ", name, config[name])
    again = type(layer).from_config(layer.get_config())
    print("   ", again.get_config() == layer.get_config())


shown(layers.IntegerLookup(vocabulary=[3, 4]))
shown(layers.IntegerLookup(vocabulary=[3, 4], output_mode="multi_hot", oov_method="farmhash", salt=3))
shown(layers.CategoryEncoding(5, "count"))
shown(layers.MelSpectrogram(sampling_rate=8000))
shown(layers.Normalization())
shown(layers.Normalization(axis=None, invert=True))
shown(layers.Normalization(axis=(1, 2)))
shown(layers.Hashing(3))
shown(layers.Hashing(3, output_mode="one_hot"))
shown(layers.Hashing(3, dtype="int32"))
shown(layers.Discretization([1.0], dtype="float64"))
shown(layers.RandomGrayscale(0.3, seed=4))
shear = layers.RandomShear(0.2, (0.1, 0.3)).get_config()
print(shear["x_factor"], shear["y_factor"])
line = layers.Pipeline([layers.Rescaling(2.0), layers.CenterCrop(2, 2)])
config = line.get_config()
print(sorted(config), [one["class_name"] for one in config["layers"]])
print(layers.Pipeline.from_config(config)(tf.reshape(tf.range(9.0), (1, 3, 3, 1))).numpy().tolist())
layer = layers.Normalization(mean=[1.0, 2.0], variance=[1.0, 4.0])
print(layers.Normalization.from_config(layer.get_config())(tf.constant([[2.0, 4.0]])).numpy().tolist())
