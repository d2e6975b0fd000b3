import numpy as np
import tensorflow as tf

keras = tf.keras
kinds = keras.optimizers


def refusal(call):
    try:
        print(call())
    except (AttributeError, TypeError, ValueError) as error:
        kind = next(one for one in (AttributeError, TypeError, ValueError) if isinstance(error, one))
        first = str(error).splitlines()[0]
        print(kind.__name__, first.partition(" Received")[0].partition(" with value")[0].partition(", value")[0])


def model():
    layers = [keras.layers.Dense(3, name="below"), keras.layers.Dense(1, name="above")]
    made = keras.Sequential([keras.Input((2,)), *layers])
    for number, one in enumerate(made.weights):
        one.assign(np.sin(np.arange(np.prod(one.shape)) + number).reshape(one.shape))
    return made


x = np.linspace(-1, 1, 12).reshape(6, 2).astype("float32")
y = x.sum(1, keepdims=True)
chosen = kinds.OptimizerMap(kinds.SGD(0.1), {".*below/.*": kinds.Adam(0.05)})
chosen[".*above/bias"] = kinds.RMSprop(0.02, clipnorm=0.5)
print(len(chosen), sorted(chosen), type(chosen.default_optimizer).__name__)
print([type(chosen[key]).__name__ for key in ("below/kernel", "above/bias", "above/kernel", "low")])
optimizer = kinds.MultiOptimizer(chosen)
net = model()
net.compile(optimizer, "mse")
history = net.fit(x, y, epochs=3, batch_size=3, shuffle=False, verbose=0)
print([f"{one:.5f}" for one in history.history["loss"]])
for one in net.weights:
    print(one.path.split("/")[-2:], one.numpy().round(4).tolist())
print([type(one).__name__ for one in optimizer.optimizers], int(optimizer.iterations))
print([int(one.iterations) for one in optimizer.optimizers])
print([(one.path.split("/")[-1], one.shape) for one in optimizer.variables])
refusal(lambda: optimizer.learning_rate)
refusal(lambda: setattr(optimizer, "learning_rate", 0.1))
refusal(lambda: chosen.__setitem__(".*below/.*", kinds.SGD()))
refusal(lambda: chosen.__setitem__("x", 3))
refusal(lambda: chosen.__setitem__("x", kinds.LossScaleOptimizer(kinds.SGD())))
refusal(lambda: kinds.OptimizerMap("sgd"))
refusal(lambda: kinds.OptimizerMap(kinds.SGD(), [1]))
refusal(lambda: optimizer.apply([tf.constant(1.0)]))
refusal(lambda: kinds.MultiOptimizer(lambda variable: None).build(net.weights[:1]) and None)
refusal(lambda: kinds.MultiOptimizer(chosen).apply([tf.constant(1.0)]))

slow, fast = kinds.SGD(0.25), kinds.SGD(0.5, momentum=0.5)
net = model()
both = kinds.MultiOptimizer(lambda one: slow if "kernel" in one.path else fast, loss_scale_factor=4.0)
for _ in range(2):
    with tf.GradientTape() as tape:
        loss = both.scale_loss(tf.reduce_mean(tf.square(net(x) - y)))
    both.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    print(f"{float(loss):.5f}")
for one in net.weights:
    print(one.numpy().round(4).tolist())
print(slow.loss_scale_factor, fast.loss_scale_factor, both.loss_scale_factor, len(both.variables))
again = kinds.MultiOptimizer.from_config(optimizer.get_config())
print([type(one).__name__ for one in again.optimizers], again.name == optimizer.name)
