import numpy as np
import tensorflow as tf

keras = tf.keras
losses = keras.losses
logits = np.sin(np.arange(2 * 7 * 5, dtype="float32")).reshape(2, 7, 5) * 2
words = np.array([[1, 2, 1], [3, 3, 0]])
embedded = np.cos(np.arange(24, dtype="float32")).reshape(6, 4)
embedded /= np.linalg.norm(embedded, axis=1, keepdims=True)
labels = np.array([0, 1, 0, 1, 1, 0])
classes = np.array([1, 2, 0])
chances = np.array([[0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.1, 0.8, 0.1]], "float32")


def rounded(value):
    return np.round(np.asarray(value).astype("float64"), 4).tolist()


def gradient(loss, given):
    variable = tf.Variable(given)
    with tf.GradientTape() as tape:
        value = tf.reduce_sum(loss(variable))
    return rounded(tape.gradient(value, variable).numpy().reshape(-1)[:8])


print(rounded(losses.ctc(words, logits)), rounded(losses.CTC()(words, logits)), rounded(losses.CTC(reduction="sum")(words, logits)))
print(gradient(lambda x: losses.ctc(words, x), logits), losses.CTC().name, losses.CTC().get_config())
print(rounded(losses.circle(labels, embedded)), rounded(losses.circle(labels[:, None], embedded, gamma=8.0, margin=0.2)))
print(rounded(losses.circle(labels, embedded, embedded.shape[0] - 5 + labels * 0, embedded[::-1].copy(), remove_diagonal=False, gamma=4.0)))
print(rounded(losses.Circle()(labels, embedded)), rounded(losses.Circle(gamma=4.0, margin=0.25, remove_diagonal=False)(labels, embedded)))
print(gradient(lambda x: losses.circle(labels, x, gamma=6.0), embedded), sorted(losses.Circle(margin=0.3).get_config().items()))
print(gradient(lambda x: losses.Circle(gamma=6.0)(labels, x), embedded))
print(rounded(losses.categorical_generalized_cross_entropy(classes, chances, 0.7)))
generalized = losses.CategoricalGeneralizedCrossEntropy()
print(rounded(generalized(classes, chances)), generalized.name, sorted(generalized.get_config().items()))
print(rounded(losses.CategoricalGeneralizedCrossEntropy(0.25, reduction="sum")(classes, chances, sample_weight=[1.0, 2.0, 0.0])))
print(gradient(lambda x: losses.categorical_generalized_cross_entropy(classes, x, 0.5), chances))
for one in (losses.CTC(), losses.Circle(gamma=3.0), losses.MeanSquaredError(), losses.CategoricalCrossentropy(from_logits=True)):
    config = losses.serialize(one)
    again = losses.deserialize(config)
    print(config["module"], config["class_name"], again.get_config() == one.get_config(), type(losses.get(config)).__name__)
print(losses.serialize(losses.huber), losses.deserialize("Huber").name, losses.deserialize("nothing"), losses.get("ctc") is losses.ctc)
print(losses.deserialize({"class_name": "Poisson", "config": {}}).name, type(losses.get(losses.Hinge)).__name__)
for function in (
    lambda: losses.ctc(words[0], logits), lambda: losses.ctc(words, logits[0]), lambda: losses.get("nothing"),
    lambda: losses.CategoricalGeneralizedCrossEntropy(1.0),
):
    try:
        function()
    except ValueError as problem:
        print(str(problem).partition("\n")[0])
regularizers, constraints = keras.regularizers, keras.constraints
matrix = np.array([[1.0, 2.0, -1.0], [0.5, -1.0, 3.0]], "float32")
for mode in ("rows", "columns"):
    penalty = regularizers.OrthogonalRegularizer(0.5, mode)
    print(rounded(penalty(tf.constant(matrix))), gradient(penalty, matrix), penalty.get_config())
print(rounded(regularizers.orthogonal_regularizer(0.1)(tf.constant(matrix))), type(regularizers.get("orthogonal_regularizer")).__name__)
for module, one, word in ((regularizers, regularizers.L1L2(0.1, 0.2), "l2"), (constraints, constraints.MaxNorm(3.0), "non_neg")):
    config = module.serialize(one)
    print(config, module.deserialize(config).get_config() == one.get_config(), type(module.get(word)).__name__, module.get(None))
    print(type(module.deserialize(word)).__name__, type(module.get(config)).__name__)
for function in (
    lambda: regularizers.get("nothing"), lambda: constraints.get("nothing"), lambda: regularizers.OrthogonalRegularizer(mode="row"),
    lambda: regularizers.OrthogonalRegularizer(mode="all"), lambda: regularizers.OrthogonalRegularizer()(tf.ones((2,))),
):
    try:
        function()
    except ValueError as problem:
        print(str(problem).partition("\n")[0])
keras.utils.set_random_seed(5)
layer = keras.layers.Dense(2, kernel_regularizer="orthogonal_regularizer", kernel_constraint="max_norm")
model = keras.Sequential([keras.Input((3,)), layer])
model.compile("sgd", losses.Circle(gamma=2.0))
print([round(value, 4) for value in model.fit(matrix, labels[:2], epochs=2, verbose=0).history["loss"]])
