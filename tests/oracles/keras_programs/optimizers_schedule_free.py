import numpy as np
import tensorflow as tf

tf.get_logger().setLevel("ERROR")
keras = tf.keras
optimizers = keras.optimizers


def steps(optimizer, count=4):
    x = keras.Variable([1.0, -2.0, 0.5], name="x")
    y = keras.Variable([[0.3, -0.1]], name="y")
    for _ in range(count):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sin(x) * x) + tf.reduce_sum(tf.exp(y)) * 0.5
        gradients = tape.gradient(loss, [x, y])
        optimizer.apply_gradients(zip(gradients, [x, y]))
    print(np.round(x.numpy(), 5).tolist(), np.round(y.numpy(), 5).tolist())
    return optimizer


made = steps(optimizers.ScheduleFreeAdamW())
print(made.name, [variable.path for variable in made.variables], int(made.iterations))
print([np.round(np.asarray(variable), 5).tolist() for variable in made.variables])
print(sorted(made.get_config().items(), key=str))
steps(optimizers.ScheduleFreeAdamW(0.1, beta_1=0.8, beta_2=0.95, epsilon=1e-6, warmup_steps=3), 6)
steps(optimizers.ScheduleFreeAdamW(0.05, weight_decay=0.1, clipnorm=0.5))
steps(optimizers.ScheduleFreeAdamW(optimizers.schedules.ExponentialDecay(0.1, 1, 0.5)))
again = optimizers.deserialize(optimizers.serialize(optimizers.ScheduleFreeAdamW(0.3, warmup_steps=2)))
print(type(again).__name__, round(float(again.learning_rate), 4), again.warmup_steps)
keras.utils.set_random_seed(1)
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, activation="tanh"), keras.layers.Dense(1)])
model.compile(optimizers.ScheduleFreeAdamW(0.02), "mse")
model.optimizer.build(model.trainable_variables)
data = np.sin(np.arange(36, dtype="float32")).reshape(12, 3)
history = model.fit(data, data[:, :1] * 0.5, epochs=3, batch_size=4, shuffle=False, verbose=0)
print([round(value, 5) for value in history.history["loss"]])
for kind in ("Adam", "SGD"):
    try:
        getattr(optimizers.legacy, kind)(0.1)
    except ImportError as problem:
        print(str(problem).partition(". ")[0])


class Seen(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print(epoch, np.round(self.model.layers[0].kernel.numpy().reshape(-1)[:3], 5).tolist())


for swap in (False, True):
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile(optimizers.SGD(0.1, use_ema=True, ema_momentum=0.6), "mse")
    callbacks = [keras.callbacks.SwapEMAWeights(swap_on_epoch=swap), Seen()]
    history = model.fit(data, data[:, :1] * 0.5, epochs=2, batch_size=4, shuffle=False, verbose=0, callbacks=callbacks, validation_data=(data[:4], data[:4, :1]))
    print({key: np.round(value, 5).tolist() for key, value in history.history.items()})
    print(np.round(model.layers[0].kernel.numpy().reshape(-1), 5).tolist())
    print(round(model.evaluate(data, data[:, :1], verbose=0, callbacks=[keras.callbacks.SwapEMAWeights()]), 5))
