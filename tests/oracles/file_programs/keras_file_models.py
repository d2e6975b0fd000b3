import os
import tempfile

import keras
import numpy as np
import tensorflow as tf

layers = keras.layers
folder = tempfile.mkdtemp()


def fill(model):
    model.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in model.get_weights()])


def again(model, x, **options):
    path = os.path.join(folder, f"{model.name}.keras")
    model.save(path)
    made = keras.models.load_model(path, **options)
    before, after = (tf.nest.flatten(one.predict(x, verbose=0)) for one in (model, made))
    print(type(made).__name__, made.name, [layer.name for layer in made.layers])
    print([np.allclose(a, b) for a, b in zip(before, after)], [w.shape for w in made.get_weights()][:4])
    return made


x = np.sin(np.arange(60.0)).reshape(4, 5, 3).astype("float32")
row = keras.Sequential([
    keras.Input((5, 3)), layers.Conv1D(4, 2, activation="relu", kernel_regularizer="l2"), layers.Dropout(0.3),
    layers.BatchNormalization(), layers.LSTM(3), layers.Dense(2, activation="softmax"),
], name="row")
row.compile(keras.optimizers.Adam(keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.5)),
            keras.losses.SparseCategoricalCrossentropy(), metrics=["accuracy"])
row.fit(x, np.array([0, 1, 0, 1]), verbose=0, shuffle=False)
made = again(row, x)
print(made.optimizer.iterations.numpy(), type(made.optimizer).__name__, len(made.optimizer.variables))
histories = [one.fit(x, np.array([0, 1, 0, 1]), epochs=2, verbose=0, shuffle=False).history for one in (row, made)]
print(sorted(histories[1]), [len(one) for one in histories[1].values()])
a = keras.Input((5, 3), name="a")
b = keras.Input((2,), name="b")
h = layers.Flatten()(a)
shared = layers.Dense(4, name="shared", kernel_constraint=keras.constraints.MaxNorm(2.0))
h = layers.Concatenate()([shared(h), b])
h2 = layers.LeakyReLU(negative_slope=0.2)(layers.LayerNormalization()(h))
y = layers.Add(name="sum")([layers.Dense(3)(h2), layers.Dense(3, use_bias=False)(b)])
branches = keras.Model({"a": a, "b": b}, [y, layers.Activation("tanh")(h)], name="branches")
fill(branches)
made = again(branches, {"a": x, "b": x[:, 0, :2]})
print(made.input_names if hasattr(made, "input_names") and False else sorted(made.input))
inner = keras.Sequential([keras.Input((3,)), layers.Dense(2)], name="inner")
i = keras.Input((3,))
nested = keras.Model(i, layers.Rescaling(0.5)(inner(i)), name="nested")
fill(nested)
again(nested, x[:, 0])


@keras.saving.register_keras_serializable(package="mine")
class Scale(layers.Layer):
    def __init__(self, factor=2.0, **options):
        super().__init__(**options)
        self.factor = factor

    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1],), initializer="ones")

    def call(self, x):
        return x * self.kernel * self.factor

    def get_config(self):
        return {**super().get_config(), "factor": self.factor}


@keras.saving.register_keras_serializable()
def shifted(x):
    return x + 1.0


class Own(keras.Model):
    def __init__(self, units, **options):
        super().__init__(**options)
        self.units = units
        self.dense = layers.Dense(units)

    def call(self, x):
        return self.dense(x)

    def get_config(self):
        return {**super().get_config(), "units": self.units}


custom = keras.Sequential([keras.Input((3,)), Scale(3.0), layers.Dense(2, activation=shifted)], name="custom")
fill(custom)
made = again(custom, x[:, 0])
print(made.layers[0].factor)
own = Own(2, name="own")
own(x[:, 0])
fill(own)
print(again(own, x[:, 0], custom_objects={"Own": Own}).units)
print(keras.saving.get_registered_name(Scale), keras.saving.get_registered_object("mine>Scale") is Scale)
made = keras.models.model_from_json(row.to_json())
print(made.name, len(made.layers), made.count_params())
made = keras.Model.from_config(branches.get_config())
print(made.name, [layer.name for layer in made.layers])
config = keras.saving.serialize_keras_object(layers.Dense(3, activation="relu", name="d"))
print(config["module"], config["class_name"], config["config"]["units"], config["config"]["activation"])
print(keras.saving.deserialize_keras_object(config).units)
for path in ("model.h5", "model"):
    try:
        row.save(os.path.join(folder, path) if path == "model" else path + "5")
    except ValueError as error:
        print(str(error)[:60])
saved = keras.callbacks.ModelCheckpoint(os.path.join(folder, "best-{epoch:02d}.keras"), monitor="loss", save_best_only=True)
backup = keras.callbacks.BackupAndRestore(os.path.join(folder, "backup"), delete_checkpoint=False)
nested.compile("sgd", "mse")
nested.fit(x[:, 0], np.zeros((4, 2)), epochs=2, verbose=0, callbacks=[saved, backup], shuffle=False)
print(sorted(name for name in os.listdir(folder) if name.startswith("best")), sorted(os.listdir(os.path.join(folder, "backup"))))
history = nested.fit(x[:, 0], np.zeros((4, 2)), epochs=4, verbose=0, callbacks=[backup], shuffle=False)
print(history.epoch)
