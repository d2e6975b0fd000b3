import numpy as np
import tensorflow as tf

keras, layers = tf.keras, tf.keras.layers


def words(entry, **options):
    return layers.Embedding(10, 4, mask_zero=True, embeddings_initializer="ones", **options)(entry)


def show(model):
    model.summary()
    print([one.name for one in model.layers], [one.name for one in model.operations])


entry = keras.Input((5,))
x = words(entry)
print(x._keras_mask.shape, x._keras_mask.dtype, hasattr(entry, "_keras_mask"))
read = keras.Model(entry, layers.Dense(1, kernel_initializer="ones")(layers.LSTM(3, kernel_initializer="ones", recurrent_initializer="zeros")(x)))
show(read)
rows = np.array([[1, 2, 0, 0, 0], [3, 4, 5, 6, 7], [0, 1, 0, 2, 0]])
print(read.predict(rows, verbose=0).round(4).tolist())

entry = keras.Input((5, 2))
x = layers.Dropout(0.5)(layers.Masking(0.5)(entry))
x = layers.Bidirectional(layers.GRU(3, return_sequences=True))(x)
show(keras.Model(entry, layers.GlobalAveragePooling1D()(x)))

row = [layers.Embedding(10, 4, mask_zero=True), layers.LSTM(3, return_sequences=True), layers.LSTM(2), layers.Dense(1)]
late = keras.Sequential(row)
late(np.ones((2, 3)))
late.summary()
known = keras.Sequential([keras.Input((4,)), layers.Embedding(10, 4, mask_zero=True), layers.LSTM(3)])
known.summary()

first, second = keras.Input((5,)), keras.Input((5,))
both = layers.Embedding(10, 4, mask_zero=True)
a, b = both(first), both(second)
found = [layers.LSTM(2)(a), layers.GlobalAveragePooling1D()(layers.Attention()([a, b]))]
show(keras.Model([first, second], layers.Concatenate()(found)))

entry = keras.Input((5,))
x = words(entry)
show(keras.Model(entry, layers.GlobalAveragePooling1D()(layers.MultiHeadAttention(2, 2)(x, x))))
for ends in (layers.Dense(2), layers.TimeDistributed(layers.Dense(2)), layers.BatchNormalization()):
    entry = keras.Input((5,))
    show(keras.Model(entry, ends(words(entry))))
entry = keras.Input((5,))
x = words(entry)
y = layers.LSTM(3, return_sequences=True)(x)
show(keras.Model(entry, layers.Add()([x, layers.Dense(4)(y)])))

made = keras.Model.from_config(read.get_config())
made.set_weights(read.get_weights())
print(np.allclose(made.predict(rows, verbose=0), read.predict(rows, verbose=0), atol=1e-6))
print([one["class_name"] for one in read.get_config()["layers"]])
copy = keras.models.clone_model(read)
print([one.name for one in copy.operations])
