import numpy as np
import tensorflow as tf

keras, layers = tf.keras, tf.keras.layers
keras.utils.set_random_seed(812)
x, y = np.random.rand(24, 8, 8, 1).astype("float32"), np.random.randint(0, 3, 24)
model = keras.Sequential(
    [
        keras.Input((8, 8, 1)),
        layers.RandomFlip("horizontal"),
        layers.Conv2D(4, 3, activation="relu"),
        layers.MaxPooling2D(),
        layers.SpatialDropout2D(0.25),
        layers.Flatten(),
        layers.Dense(8, activation="relu", kernel_initializer="he_normal"),
        layers.Dropout(0.5),
        layers.Dense(3),
    ]
)
model.compile(keras.optimizers.SGD(0.1), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
history = model.fit(x, y, epochs=3, batch_size=8, verbose=0)
print([round(float(one), 4) for one in history.history["loss"]])
