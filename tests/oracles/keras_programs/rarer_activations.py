import tensorflow as tf

keras = tf.keras
x = tf.constant([[-4.0, -1.0, -0.2, 0.0, 0.3, 2.0, 5.0, 8.0]])
for name in (
    "celu glu hard_shrink hard_silu hard_swish hard_tanh soft_shrink sparse_plus sparse_sigmoid squareplus tanh_shrink"
).split():
    found = getattr(keras.activations, name)(x).numpy().round(4) + 0.0
    print(name, found.tolist())
    if not name.startswith("sparse"):
        layer = keras.layers.Dense(8, activation=name, kernel_initializer="identity")
        print((layer(x).numpy().round(4) + 0.0).tolist() == found.tolist())
print(keras.activations.threshold(x, 0.5, 1.0).numpy().tolist())
print(keras.activations.deserialize("relu")(x).numpy().tolist())
