import warnings

import numpy as np
import tensorflow as tf

keras = tf.keras
warnings.simplefilter("ignore")
x = np.sin(np.arange(80) * 1.7).reshape(20, 4).astype("float32")
y = (x[:, :1] * 0.5 - x[:, 1:2]).astype("float32")


class Older(keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compiled_loss(y, y_pred, regularization_losses=self.losses)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        self.compiled_metrics.update_state(y, y_pred)
        return {m.name: m.result() for m in self.metrics if m.name != "loss"}


inputs = keras.Input((4,))
model = Older(inputs, keras.layers.Dense(1, kernel_initializer="ones")(inputs))
model.compile("sgd", "mse", metrics=["mae"])
history = model.fit(x, y, epochs=2, batch_size=8, shuffle=False, verbose=0).history
for name in history:
    print(name, np.round(history[name], 4).tolist())
print(np.round(model.get_weights()[0], 4).tolist())
