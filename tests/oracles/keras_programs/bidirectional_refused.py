import tensorflow as tf

tf.keras.layers.Bidirectional(
    tf.keras.layers.LSTM(2), backward_layer=tf.keras.layers.LSTM(2, return_sequences=True, go_backwards=True)
)
