import os
import tempfile

import numpy as np
import tensorflow as tf

layers = tf.keras.layers
x = np.cos(np.arange(12.0)).reshape(4, 3).astype("float32")
y = x[:, :1] - x[:, 1:2]


def shown(layer):
    for weight in layer.weights:
        print(weight.path, tuple(weight.shape), weight.trainable, weight.dtype)
    print(len(layer.trainable_variables), len(layer.non_trainable_variables))


tf.keras.utils.set_random_seed(3)
model = tf.keras.Sequential([tf.keras.Input((3,)), layers.Dense(4, activation="tanh"), layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(x, y, batch_size=2, epochs=1, shuffle=False, verbose=0)
before = model.predict(x, verbose=0)
model.layers[0].enable_lora(2)
shown(model.layers[0])
print(np.allclose(model.predict(x, verbose=0), before), model.layers[0].lora_rank, model.layers[0].lora_alpha)
model.compile(tf.keras.optimizers.Adam(0.1), "mse")
kernel = model.layers[0]._kernel.numpy()
print(np.round(model.fit(x, y, batch_size=2, epochs=3, shuffle=False, verbose=0).history["loss"], 4).tolist())
print(np.array_equal(kernel, model.layers[0]._kernel.numpy()), type(model.layers[0].kernel).__name__ != "Variable")
print(np.round(np.asarray(model.layers[0].kernel), 4).tolist())
model.summary()

folder = tempfile.mkdtemp()
path = os.path.join(folder, "adapted.keras")
model.save(path)
again = tf.keras.models.load_model(path)
print(np.allclose(model.predict(x, verbose=0), again.predict(x, verbose=0), atol=1e-6))
shown(again.layers[0])
print(np.abs(again.layers[0].lora_kernel_a.numpy()).max(), again.layers[0].get_config()["lora_rank"])
weights = os.path.join(folder, "adapted.weights.h5")
model.save_weights(weights)
plain = tf.keras.Sequential([tf.keras.Input((3,)), layers.Dense(4, activation="tanh"), layers.Dense(1)])
plain.load_weights(weights)
print(np.allclose(model.predict(x, verbose=0), plain.predict(x, verbose=0), atol=1e-6))

tf.keras.utils.set_random_seed(4)
given = layers.Dense(2, lora_rank=1, lora_alpha=4, name="given")
given.build((None, 3))
print(given.lora_alpha, given.get_config()["lora_alpha"], len(given.trainable_variables))
table = layers.Embedding(5, 3, name="table")
table.build()
table.enable_lora(2, lora_alpha=1.0, b_initializer="ones")
shown(table)
print(np.round(table(tf.constant([[1, 4]])).numpy(), 4).tolist())
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(table(tf.constant([1, 1])) ** 2)
print([g.shape for g in tape.gradient(loss, table.trainable_variables)])
product = layers.EinsumDense("abc,cde->abde", output_shape=(None, 2, 3), bias_axes="e", name="product")
product.build((None, 4, 5))
product.enable_lora(2)
shown(product)
window = layers.Conv2D(3, 2, lora_rank=2, lora_alpha=1.0, name="window")
print(window(tf.ones((1, 4, 4, 2))).shape, window.lora_alpha)
shown(window)
print(sorted(set(window.get_config()) & {"lora_rank", "lora_alpha"}))
window.trainable = False
print(len(window.trainable_variables))
window.trainable = True
print(len(window.trainable_variables))
print(type(layers.Conv2D.from_config(window.get_config())).__name__)
half = layers.Dense(2, dtype="mixed_float16", name="half")
half.build((None, 3))
half.enable_lora(1)
print(half(x).dtype, half.kernel.dtype, half.lora_kernel_a.dtype)
for wrong in (
    lambda: layers.Dense(2).enable_lora(1),
    lambda: given.enable_lora(1),
    lambda: layers.Dense(2, kernel_constraint="non_neg").enable_lora(1),
    lambda: layers.Embedding(2, 2, embeddings_constraint="non_neg").enable_lora(1),
):
    try:
        wrong()
    except ValueError as error:
        print(str(error).splitlines()[0])
