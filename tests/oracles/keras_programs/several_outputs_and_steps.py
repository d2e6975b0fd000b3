import numpy as np
import tensorflow as tf

keras, layers = tf.keras, tf.keras.layers
words = layers.Input((None,), name="words")
embedded = layers.Embedding(7, 4, name="embedding")(words)
out, h, c = layers.LSTM(3, return_state=True, name="encoder")(embedded)
more = layers.LSTM(3, name="decoder")(embedded, initial_state=[h, c])
model = keras.Model(words, layers.Dense(2, name="top")(more))
model.summary()


class Double(layers.Layer):
    def __init__(self, times=2, **options):
        super().__init__(**options)
        self.times = times

    def call(self, inputs):
        return inputs * self.times

    def get_config(self):
        return {**super().get_config(), "times": self.times}


inputs = keras.Input((4,))
scaled = keras.Model(inputs, Double(3)(inputs))
again = keras.Model.from_config(scaled.get_config(), custom_objects={"Double": Double})
print(again(tf.ones((1, 4))).numpy())
listed = keras.Sequential([keras.Input((2,)), Double(5)])
print(keras.Sequential.from_config(listed.get_config(), custom_objects={"Double": Double})(tf.ones((1, 2))).numpy())

ones = {"kernel_initializer": "ones", "recurrent_initializer": "ones"}
for options in ({}, {"return_sequences": True}, {"return_sequences": True, "return_state": True}):
    steps = keras.Input((None, 2))
    found = layers.RNN(layers.LSTMCell(3, **ones), **options)(steps)
    print([one.shape for one in (found if isinstance(found, (list, tuple)) else [found])])
    whole = keras.Model(steps, found)(np.ones((2, 5, 2), "float32"))
    print([one.numpy().round(4).tolist() for one in (whole if isinstance(whole, (list, tuple)) else [whole])])
net = keras.Sequential([layers.RNN(layers.SimpleRNNCell(2, **ones)), layers.Dense(1, kernel_initializer="ones")])
net.compile("sgd", "mse")
history = net.fit(np.ones((4, 3, 2), "float32") * 0.1, np.ones((4, 1), "float32"), epochs=2, verbose=0)
print([round(one, 5) for one in history.history["loss"]])
inner = keras.Model(inputs, [layers.Dense(2, name="left")(inputs), layers.Dense(1, name="right")(inputs)], name="inner")
keras.Sequential([layers.Flatten(), keras.Model(inputs, Double()(inputs), name="within")], name="outer").summary()
