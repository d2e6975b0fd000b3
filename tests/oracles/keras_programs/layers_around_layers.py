import os
import tempfile

import numpy as np
import tensorflow as tf

layers = tf.keras.layers
x = np.cos(np.arange(12.0)).reshape(4, 3).astype("float32")
y = x[:, :1] - x[:, 1:2]


@tf.keras.utils.register_keras_serializable("own")
class Scaled(layers.Wrapper):
    def __init__(self, layer, scale=2.0, **options):
        super().__init__(layer, **options)
        self.scale = scale

    def build(self, input_shape):
        super().build(input_shape)
        self.gain = self.add_weight(shape=(1,), initializer="ones", name="gain")

    def call(self, inputs):
        return self.scale * self.gain * self.layer(inputs)

    def compute_output_shape(self, input_shape):
        return self.layer.compute_output_shape(input_shape)

    def get_config(self):
        return {**super().get_config(), "scale": self.scale}


tf.keras.utils.set_random_seed(3)
model = tf.keras.Sequential(
    [
        tf.keras.Input((3,)),
        Scaled(layers.Dense(4, name="inner")),
        layers.ThresholdedReLU(0.1),
        layers.Dense(1),
    ]
)
model.summary()
for weight in model.weights:
    print(weight.path, weight.shape)
model.compile("sgd", "mse")
print(np.round(model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0).history["loss"], 4).tolist())
print(sorted(model.layers[0].get_config()), model.layers[0].get_config()["layer"]["class_name"])
print(model.layers[1].get_config()["theta"])
path = os.path.join(tempfile.mkdtemp(), "around.keras")
model.save(path)
again = tf.keras.models.load_model(path)
print(np.allclose(model.predict(x, verbose=0), again.predict(x, verbose=0)), again.layers[0].scale)
print(type(layers.Wrapper(layers.Dense(2)).layer).__name__)
for wrong in (
    lambda: layers.Wrapper(3),
    lambda: layers.ThresholdedReLU(-1.0),
    lambda: layers.ThresholdedReLU(None),
):
    try:
        wrong()
    except ValueError as error:
        print(str(error).splitlines()[0])
