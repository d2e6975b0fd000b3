import numpy as np, tensorflow as tf
keras, layers = tf.keras, tf.keras.layers
change = keras.Sequential([layers.RandomFlip("horizontal"), layers.RandomRotation(0.1), layers.RandomZoom(0.2), layers.RandomTranslation(0.1, 0.1)])
inputs = keras.Input((6, 6, 3))
outputs = layers.Dense(1, name="top")(layers.Flatten()(layers.Rescaling(1.0 / 255)(change(inputs))))
model = keras.Model(inputs, outputs)
print(change(inputs).shape, model.output_shape, model.count_params())
model.compile("sgd", "mse")
model.fit(np.ones((4, 6, 6, 3)) * 9.0, np.ones((4, 1)), verbose=0)
print(model.predict(np.ones((2, 6, 6, 3)), verbose=0).shape, change(np.ones((1, 6, 6, 3)) * 9.0, training=False).numpy().max())
