import numpy as np
import tensorflow as tf

layers = tf.keras.layers
whole, fractions = tf.constant([[1, 2]], tf.int64), tf.constant([[0.5, 1.0]])
short, truths = tf.constant([[1, 2]], tf.int32), tf.constant([[True, False]])
for name in ("Concatenate", "Add", "Multiply", "Average", "Maximum", "Minimum", "Subtract"):
    for pair in ((whole, fractions), (whole, short), (whole, whole), (short, fractions), (truths, fractions)):
        found = getattr(layers, name)()(list(pair))
        print(name, found.dtype.name, found.numpy().tolist())
for one in (whole, short, truths):
    print(layers.Dense(1, kernel_initializer="ones")(one))

# The rows of a lookup are whole numbers, and go on to where fractions are.
words, numbers = tf.keras.Input((1,), dtype="string"), tf.keras.Input((2,))
rows = layers.StringLookup(vocabulary=["a", "b", "c"], output_mode="one_hot")(words)
tf.keras.utils.set_random_seed(0)
hidden = layers.Dense(4, activation="relu")(layers.Concatenate()([rows, numbers]))
model = tf.keras.Model([words, numbers], layers.Dense(1)(hidden))
model.compile("adam", "mse")
x = [tf.constant([["a"], ["b"], ["z"], ["c"]]), np.arange(8.0).reshape(4, 2).astype("float32") / 8]
print([round(one, 4) for one in model.fit(x, np.ones((4, 1)), epochs=2, verbose=0).history["loss"]])
text = layers.TextVectorization(vocabulary=["good", "bad"], output_mode="multi_hot")
print(tf.keras.Sequential([text, layers.Dense(2)])(tf.constant([["good movie"], ["bad"]])).dtype)
