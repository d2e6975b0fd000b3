import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
layers = tf.keras.layers
pictures = tf.placeholder(tf.float32, [None, 4, 4, 1])
words = tf.placeholder(tf.int32, [None, 3])
conv = layers.Conv2D(2, 3, kernel_initializer="ones", activation="relu")(pictures)
pooled = layers.MaxPooling2D(2)(conv)
flattened = layers.Flatten()(pooled)
read = layers.Embedding(5, 2, mask_zero=True, embeddings_initializer="ones")(words)
last = layers.LSTM(2, kernel_initializer="ones", recurrent_initializer="ones")(read)
every = layers.GRU(2, kernel_initializer="ones", recurrent_initializer="ones", return_sequences=True)(read)
joined = layers.Concatenate()([flattened, last])
scores = layers.Dense(2, kernel_initializer="ones", activation="softmax")(joined * [1.0, 9.0, 1.0, 1.0])
wanted = [
    flattened,
    last,
    every,
    joined,
    tf.keras.losses.SparseCategoricalCrossentropy()(tf.constant([0, 1]), scores),
    tf.keras.activations.relu(joined - 1.0),
    tf.keras.ops.mean(joined),
]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    fed = {pictures: np.arange(32).reshape(2, 4, 4, 1) / 100.0, words: [[1, 2, 0], [3, 4, 1]]}
    for one in wanted:
        print(one.shape, session.run(one, fed).round(4).tolist())
