import numpy as np
import tensorflow as tf

kinds = tf.keras.layers
x = tf.reshape(tf.sin(tf.range(6, dtype=tf.float32)), (2, 3))


def report(model, copy):
    print(type(copy) is type(model), copy.name == model.name, [one.name for one in copy.layers])
    print([tuple(v.shape) for v in copy.weights] == [tuple(v.shape) for v in model.weights])
    copy.set_weights(model.get_weights())
    print(np.allclose(copy(x), model(x)))
    copy.set_weights([w + 1 for w in copy.get_weights()])
    print(np.allclose(copy(x), model(x)))


model = tf.keras.Sequential([tf.keras.Input((3,)), kinds.Dense(4, "relu", name="hidden"), kinds.Dense(1)])
report(model, tf.keras.models.clone_model(model))
inputs = tf.keras.Input((3,), name="given")
shared = kinds.Dense(3, activation="tanh")
y = shared(shared(inputs)) + inputs * 2.0
outputs = kinds.Concatenate()([kinds.Dense(2)(y), y])
model = tf.keras.Model(inputs, outputs, name="graph")
report(model, tf.keras.models.clone_model(model))
nested = tf.keras.Sequential([tf.keras.Input((3,)), model, kinds.Dense(2)])
report(nested, tf.keras.models.clone_model(nested))


def double(layer):
    if isinstance(layer, kinds.Dense):
        return kinds.Dense(layer.units * 2, name=layer.name)
    return layer.__class__.from_config(layer.get_config())


plain = tf.keras.Sequential([tf.keras.Input((3,)), kinds.Dense(4, name="a"), kinds.ReLU(), kinds.Dense(1, name="b")])
wide = tf.keras.models.clone_model(plain, clone_function=double)
print([tuple(v.shape) for v in wide.weights])
print([w.get_config()["units"] for w in wide.layers[::2]], wide.layers[0].get_config()["use_bias"])
plain.layers[0].trainable = False
around = kinds.TimeDistributed(kinds.Dense(2, name="inner"))
rows = tf.keras.Sequential([tf.keras.Input((4, 3)), around, kinds.Bidirectional(kinds.LSTM(3, name="memory"), "sum"), plain])
copy = tf.keras.models.clone_model(rows)
print(copy.layers[0].layer is around.layer, copy.layers[0].layer.name, copy.layers[1].forward_layer.name)
print([len(layer.trainable_weights) for layer in copy.layers])
inner = tf.keras.models.clone_model(rows, clone_function=lambda layer: layer)
print(inner.layers[2] is plain)
deep = tf.keras.models.clone_model(rows, clone_function=lambda layer: layer, recursive=True)
print(deep.layers[2] is plain, deep.layers[2].layers[0] is plain.layers[0])
