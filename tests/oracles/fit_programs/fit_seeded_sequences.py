import numpy as np
import tensorflow as tf

keras, layers = tf.keras, tf.keras.layers


def trained(model, **options):
    model.compile("rmsprop", "binary_crossentropy")
    history = model.fit(x, y, epochs=3, batch_size=8, verbose=0, **options)
    print({name: [round(float(one), 4) for one in values] for name, values in history.history.items()})


keras.utils.set_random_seed(3)
x, y = np.random.randint(0, 20, (32, 7)), np.random.randint(0, 2, 32)
end = {"activation": "sigmoid"}
dropping = {"dropout": 0.2, "recurrent_dropout": 0.2}
trained(
    keras.Sequential([layers.Embedding(20, 6), layers.LSTM(5, **dropping), layers.Dense(1, **end)]),
    validation_split=0.25,
)
recurrent = layers.Bidirectional(layers.GRU(5, dropout=0.3, return_sequences=True))
trained(keras.Sequential([layers.Embedding(20, 6), recurrent, layers.GlobalMaxPooling1D(), layers.Dense(1, **end)]))
cells = [layers.LSTMCell(4, dropout=0.2), layers.SimpleRNNCell(3)]
trained(keras.Sequential([layers.Embedding(20, 6), layers.RNN(cells), layers.Dense(1, **end)]))
