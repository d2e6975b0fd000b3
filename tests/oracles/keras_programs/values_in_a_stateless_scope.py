"""Layers, models and metrics called with values for their variables, which stay as they are."""

import keras
import numpy as np
import tensorflow as tf



def show(values):
    """Print numbers to four places, without signs of zeros."""
    print([(np.round(np.asarray(one), 4) + 0.0).tolist() for one in values])


keras.utils.set_random_seed(0)
model = keras.Sequential(
    [
        keras.Input((3,)),
        keras.layers.Dense(4, kernel_initializer="ones", kernel_regularizer="l2"),
        keras.layers.BatchNormalization(),
        keras.layers.Dropout(0.5, seed=3),
        keras.layers.Dense(2, kernel_initializer=keras.initializers.Constant(0.25)),
    ]
)
x = np.arange(12).reshape(4, 3).astype("float32") / 10
x[0, 1] = 3.0
trained = [tf.identity(one.value) for one in model.trainable_variables]
others = [tf.identity(one.value) for one in model.non_trainable_variables]
print([one.path for one in model.non_trainable_variables])
with tf.GradientTape() as tape:
    tape.watch(trained)
    result, others, losses = model.stateless_call(trained, others, x, training=True, return_losses=True)
    loss = tf.reduce_mean(result**2)
show([result, *losses])
show(tape.gradient(loss, trained))
show(others)
show(one.numpy() for one in model.non_trainable_variables)
halves = [one / 2 for one in trained]
show([model.stateless_call(halves, others, x)[0], model(x)])
for given in ((trained[:1], others), (trained, others[:1]), ([trained[1], *trained[1:]], others)):
    try:
        model.stateless_call(*given, x)
    except ValueError as problem:
        print(str(problem).split(". ")[0])

mean = keras.metrics.Mean()
values = mean.stateless_update_state([one.value for one in mean.variables], [1.0, 2.0, 6.0])
print([float(one) for one in values], float(mean.stateless_result(values)), float(mean.result()))
mean.update_state([5.0])
print([float(one) for one in mean.stateless_reset_state()], float(mean.result()))

v, w = keras.Variable([1.0, 2.0], name="v"), keras.Variable(3.0, name="w")
with keras.StatelessScope([(v, np.array([5.0, 6.0]))]) as scope:
    print(np.asarray(v * w).tolist(), v.numpy().tolist())
    v.assign(v * 2)
    w.assign_add(1.0)
    print(np.asarray(v.value).tolist(), float(w.value))
    with keras.StatelessScope() as inner:
        print(np.asarray(v.value).tolist(), inner.get_current_value(v))
        v.assign([0.0, 0.0])
    print(np.asarray(v.value).tolist())
print(v.numpy().tolist(), float(w.numpy()), np.asarray(scope.get_current_value(w)).tolist())
generator = keras.random.SeedGenerator(5)
with keras.StatelessScope() as scope:
    inside = keras.random.normal((2,), seed=generator)
    print(np.asarray(scope.get_current_value(generator.state)).tolist())
print(np.array_equal(inside, keras.random.normal((2,), seed=generator)), generator.state.numpy().tolist())

lstm = keras.layers.LSTM(3, kernel_initializer="ones", recurrent_initializer="ones")
steps = np.ones((1, 4, 2), "float32")
lstm(steps)
thirds = [one.value / 3 for one in lstm.trainable_variables]
given = [one.value for one in lstm.non_trainable_variables]
show([lstm.stateless_call(thirds, given, steps)[0], lstm(steps)])

model.compile("sgd", "mse", metrics=["mae"])
model.fit(x, np.ones((4, 2)), verbose=0)
tree = model.get_state_tree("numpy_array")
print({kind: sorted(found) for kind, found in tree.items()}, tree["metrics_variables"]["loss"]["count"])
model.set_state_tree({"trainable_variables": {"sequential": {"dense_1": {"bias": np.array([4.0, 5.0])}}}})
print(model.layers[-1].bias.numpy().tolist())
try:
    model.optimizer.stateless_apply([], [], [])
except ValueError as problem:
    print(str(problem)[:60])
