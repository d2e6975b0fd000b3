import numpy as np
import tensorflow as tf


def train(optimizer, slopes=(1.0, 2.0, 3.0)):
    w, b = tf.Variable([1.0, 2.0], name="w"), tf.Variable(3.0, name="b")
    for slope in slopes:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * w) * b * slope
        optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b]))
        print(w.numpy().round(4), b.numpy().round(4), int(optimizer.iterations))


class Counted(tf.keras.optimizers.Optimizer):
    def build(self, variables):
        super().build(variables)
        self.calls = self.add_variable(shape=(), name="calls")

    def _backend_apply_gradients(self, grads, trainable_variables):
        self.assign_add(self.calls, 1.0)
        super()._backend_apply_gradients([one * 0.5 for one in grads], trainable_variables)

    def update_step(self, gradient, variable, learning_rate):
        rate = tf.cast(learning_rate, variable.dtype) / self.calls
        self.assign_sub(variable, rate * gradient)


class Warmed(tf.keras.optimizers.Optimizer):
    def build(self, variables):
        super().build(variables)
        self._schedule = self.add_variable(shape=(), name="schedule")
        self._rate = self.add_variable(shape=(), name="rate")

    def update_step(self, gradient, variable, learning_rate):
        self.assign(self._schedule, tf.minimum(1.0, tf.cast(self.iterations + 1, "float32") / 2.0))
        self.assign(self._rate, self._schedule * self.learning_rate)
        self.assign_sub(variable, self._rate * gradient)


class Spared(Counted):
    def _use_weight_decay(self, variable):
        return "b" not in variable.name and super()._use_weight_decay(variable)


class Centred(tf.keras.optimizers.SGD):
    def apply(self, grads, trainable_variables=None):
        print("apply", len(grads))
        super().apply(
            [one - tf.reduce_mean(one) if one.shape.rank else one for one in grads], trainable_variables
        )


class Halved(tf.keras.optimizers.Adam):
    def _backend_apply_gradients(self, grads, trainable_variables):
        super()._backend_apply_gradients([one / 2.0 for one in grads], trainable_variables)


class Bounded(tf.keras.optimizers.SGD):
    def _clip_gradients(self, grads):
        return [tf.tanh(one) for one in super()._clip_gradients(grads)]


train(Counted(0.01, clipvalue=2.0))
train(Spared(0.01, weight_decay=0.5))
train(Warmed(0.01))
train(Warmed(tf.keras.optimizers.schedules.CosineDecay(0.01, 4)))
train(Centred(0.01, momentum=0.9))
train(Halved(0.1))
train(Bounded(0.1, global_clipnorm=1.0))

nan = float("nan")
for inner in (Counted(0.01), Centred(0.01), Halved(0.1), Bounded(0.1)):
    optimizer = tf.keras.optimizers.LossScaleOptimizer(inner, initial_scale=64.0, dynamic_growth_steps=2)
    w = tf.Variable([1.0, 2.0])
    for slope in (1.0, nan, 1.0, 2.0, float("inf"), 1.0):
        with tf.GradientTape() as tape:
            loss = optimizer.scale_loss(tf.reduce_sum(w * w) * slope)
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        scale = float(optimizer.dynamic_scale)
        print(w.numpy().round(4), scale, int(optimizer.step_counter), int(optimizer.iterations))
    print([one.name for one in optimizer.variables][:4], len(optimizer.variables))

x = np.sin(np.arange(48.0)).reshape(16, 3).astype("float32")
y = x.sum(1, keepdims=True)


class Blocks(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.layers = [[tf.keras.layers.Dense(3), tf.keras.layers.Dropout(0.0)] for _ in range(2)]

    def call(self, inputs, training=False):
        for dense, dropout in self.layers:
            inputs = dropout(dense(inputs), training=training)
        return inputs


for policy in ("float32", "mixed_float16"):
    for kind in (Counted, Halved, Bounded):
        tf.keras.mixed_precision.set_global_policy(policy)
        tf.keras.utils.set_random_seed(1)
        inputs = tf.keras.Input((3,))
        model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, dtype="float32")(Blocks()(inputs)))
        model.compile(kind(0.05), "mse")
        history = model.fit(x, y, epochs=3, batch_size=8, verbose=0, shuffle=False)
        print(policy, kind.__name__, [round(one, 3) for one in history.history["loss"]])
        print(type(model.optimizer).__name__, len(model.weights), len(model.layers))
tf.keras.mixed_precision.set_global_policy("float32")
