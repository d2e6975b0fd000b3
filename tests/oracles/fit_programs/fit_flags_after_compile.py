import warnings

import numpy as np
import tensorflow as tf

warnings.simplefilter("ignore")
layers = tf.keras.layers
x = np.cos(np.arange(36.0) ** 2).reshape(12, 3).astype(np.float32)
y = np.sin(np.arange(24.0)).reshape(12, 2).astype(np.float32)


class OwnStep(tf.keras.Sequential):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(x=x, y=y, y_pred=self(x, training=True))
        slopes = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(slopes, self.trainable_variables))
        return {"loss": loss}


def made(kind=tf.keras.Sequential, **more):
    model = kind(
        [
            tf.keras.Input((3,)),
            layers.Dense(4, kernel_initializer="ones", kernel_regularizer="l2"),
            layers.BatchNormalization(momentum=0.5),
            layers.Dense(2, kernel_initializer="ones", kernel_regularizer="l1"),
        ]
    )
    model.compile(tf.keras.optimizers.SGD(0.1, momentum=0.5), "mse", **more)
    return model


def show(model):
    history = model.fit(x, y, epochs=1, batch_size=4, shuffle=False, verbose=0).history
    tested = model.evaluate(x, y, batch_size=4, verbose=0)
    print(round(float(history["loss"][0]), 4), round(float(np.sum(tested)), 4))
    print([round(float(np.sum(one)), 4) for one in model.get_weights()])


for own in (tf.keras.Sequential, OwnStep):
    for eager in (False, True):
        model = made(own, run_eagerly=eager)
        show(model)
        model.layers[-1].trainable = False
        show(model)
        model.layers[1].trainable = False
        show(model)
        model.make_train_function(force=True)
        show(model)
        model.trainable = False
        model.compile("sgd", "mse")
        model.trainable = True
        show(model)
        model.layers[0].trainable = False
        show(model)
        print([one.trainable for one in model.layers], len(model.trainable_weights))
