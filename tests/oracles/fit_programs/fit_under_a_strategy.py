import numpy as np
import tensorflow as tf

x = np.cos(np.arange(24.0)).reshape(12, 2).astype("float32")
y = x[:, :1] - 2 * x[:, 1:]


def shuffled():
    return tf.data.Dataset.from_tensor_slices((x, y)).shuffle(12).batch(4)


for strategy in tf.distribute.get_strategy(), tf.distribute.MirroredStrategy():
    tf.keras.utils.set_random_seed(7)
    with strategy.scope():
        print(tf.distribute.has_strategy())
        model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
        model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    data, seen = shuffled(), shuffled()
    history = model.fit(data, epochs=2, shuffle=False, verbose=0, validation_data=seen)
    print(np.round(history.history["loss"], 4).tolist())
    model.evaluate(seen, verbose=0)
    for one in data, seen:
        print([np.round(labels.numpy()[0], 3).tolist() for _, labels in one])
    print(np.round(model.get_weights()[0], 4).tolist())
    history = model.fit(x, y, batch_size=5, epochs=1, verbose=0)
    print(np.round(history.history["loss"], 4).tolist())
    with strategy.scope():
        model.compile("adam", "mse")
    model.evaluate(x, y, verbose=0)
    print(len(model.optimizer.variables))
