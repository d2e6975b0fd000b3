import numpy as np
import tensorflow as tf

tf.get_logger().setLevel("ERROR")
keras = tf.keras
kit = keras.distillation
x = np.sin(np.arange(48, dtype="float32")).reshape(16, 3)
y = np.arange(16) % 4


def network(width, name, classes=4):
    return keras.Sequential([keras.Input((3,)), keras.layers.Dense(width, activation="tanh", name="hidden"), keras.layers.Dense(classes, name="scores")], name=name)


loss = kit.LogitsDistillation(2.0)
print(np.round(float(loss.compute_loss(tf.constant(x), tf.constant(x[::-1].copy()))), 4), loss.temperature)
loss = kit.LogitsDistillation(2.0, keras.losses.KLDivergence())
print(np.round(float(loss.compute_loss(tf.constant(x), tf.constant(x[::-1].copy()))), 4))
print(np.round(float(kit.FeatureDistillation().compute_loss(tf.constant(x), tf.constant(x * 0.5))), 4))
for given, weights, share in (
    (kit.LogitsDistillation(3.0, "mse"), None, 0.5),
    ([kit.LogitsDistillation(loss=keras.losses.KLDivergence()), kit.FeatureDistillation("mae", "hidden", "hidden")], [1.0, 0.25], 0.7),
    (kit.FeatureDistillation(), None, 0.0),
):
    keras.utils.set_random_seed(7)
    teacher, student = network(5, "teacher"), network(5, "student")
    distiller = kit.Distiller(teacher, student, given, weights, share)
    distiller.compile(keras.optimizers.SGD(0.1), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    history = distiller.fit(x, y, epochs=3, batch_size=8, shuffle=False, verbose=0)
    print({key: np.round(value, 4).tolist() for key, value in sorted(history.history.items())})
    print(teacher.trainable, distiller.name, np.round(student.get_weights()[0][0, :3], 4).tolist(), distiller.predict(x[:2], verbose=0).shape)
for function in (
    lambda: kit.LogitsDistillation(-1.0), lambda: kit.LogitsDistillation("hot"), lambda: kit.FeatureDistillation(None),
    lambda: kit.Distiller(network(2, "a"), network(2, "b", 3), loss), lambda: kit.Distiller(network(2, "a"), network(2, "b"), None),
    lambda: kit.Distiller(network(2, "a"), network(2, "b"), loss, student_loss_weight=2.0), lambda: kit.Distiller(3, network(2, "b"), loss),
    lambda: kit.Distiller(network(2, "a"), network(2, "b"), [loss], [1.0, 2.0]), lambda: distiller.compile("sgd"),
):
    try:
        function()
    except ValueError as problem:
        print(str(problem).partition("\n")[0].partition(", got")[0])
