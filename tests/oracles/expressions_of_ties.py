"""Expressions about ties, signs, ignored classes, small integers and arguments that change a result."""

_PAIR = "[1.0, 2.0, 0.0], [1.0, 3.0, -0.0]"
_EXTREMES = ("tf.maximum", "tf.minimum")
_TARGETS = "[[1.0, 9.0, 2.0], [-5.0, -2.0, 6.0]], [[4.0, 8.0, 12.0], [8.0, 1.0, 3.0]]"
_LOGITS = "tf.constant([[0.1, 0.2, 0.3], [0.3, 0.1, 0.9], [0.5, 0.6, 0.1], [0.2, 0.2, 0.2]])"
_LABELS = "np.array([0, 2, 1, 2])"
_REDUCTIONS = ("'sum_over_batch_size'", "'sum'", "None", "'mean'", "'mean_with_sample_weight'")
_INTEGERS = ("uint8", "int8", "uint16", "int16", "int32", "int64", "uint32", "uint64")
_LOSS = "tf.keras.losses."
_IGNORING = f"{_LOSS}SparseCategoricalCrossentropy(True, ignore_class=2"
_SHAPES = (((1, 2, 2, 2), "NCHW"), ((1, 2, 2, 2), "NHWC"), ((1, 2, 3), "NCW"), ((1, 2), "NCHW"),
           ((1, 2, 3, 3, 3), "NCDHW"))  # fmt: skip

SETUP = """

def accumulated(inside):
    point = tf.constant(1.1)
    with tf.autodiff.ForwardAccumulator(point, tf.constant(1.0)) as outer:
        with tf.autodiff.ForwardAccumulator(point, tf.constant(1.0)) as inner:
            value = point**3.5
            if inside == 2:
                return outer.jvp(inner.jvp(value))
        if inside == 1:
            return outer.jvp(inner.jvp(value))
    return outer.jvp(inner.jvp(value))


def adafactor(rate, relative, shape):
    rule = tf.keras.optimizers.Adafactor(
        rate, beta_2_decay=-0.65, epsilon_1=1e-15, epsilon_2=1e-4, clip_threshold=0.9, relative_step=relative
    )
    value = tf.Variable(np.ones(shape, np.float32))
    gradient = tf.constant(np.linspace(0.1, 1.0, 10).reshape(shape).astype(np.float32))
    steps = []
    for _ in range(8):
        rule.apply_gradients([(gradient, value)])
        steps.append(round(float(value.numpy().ravel()[0]), 4))
    return steps
"""

TIES = [
    *(f"slope({name}, {_PAIR})" for name in _EXTREMES),
    *(f"slope({name}, [1.0, 2.0, 0.0], 1.0)" for name in _EXTREMES),
    *(f"slope(lambda x: {name}(1.0, x), [1.0, 2.0, 0.0])" for name in _EXTREMES),
    *(f"slope(lambda x: {name}(x, x), [1.0, 2.0])" for name in _EXTREMES),
    *(f"slope({name}, [np.nan, 1.0], [1.0, np.nan])" for name in _EXTREMES),
    *(f"{name}([np.nan, 1.0], [1.0, np.nan])" for name in _EXTREMES),
    f"slope(lambda p: {_LOSS}hinge([[1.0, -1.0]], p), [[1.0, 2.0]])",
    f"slope(lambda p: {_LOSS}categorical_hinge([[0.0, 1.0]], p), [[0.0, 1.0]])",
    "slope(lambda x: tf.linalg.eigvalsh(x) * [1.0, 2.0], [[2.0, 1.0], [1.0, 3.0]])",
    "slope(lambda x: tf.linalg.eigh(x)[0] * [1.0, 2.0], [[2.0, 1.0], [1.0, 3.0]])",
    "slope(lambda x: tf.linalg.eigh(x)[1] ** 2, [[2.0, 1.0], [1.0, 3.0]])",
    "slope(lambda x: tf.linalg.eigh(x)[0], [[[2.0, 1.0], [1.0, 3.0]], [[2.0, 0.5], [0.5, 1.0]]])",
    "tf.linalg.eigvalsh([[2.0, 7.0], [1.0, 3.0]])",
    *(f"accumulated({n})" for n in range(3)),
    f"{_LOSS}cosine_similarity({_TARGETS})",
    f"{_LOSS}cosine_similarity({_TARGETS}, axis=0)",
    f"{_LOSS}CosineSimilarity()({_TARGETS})",
    f"tf.keras.metrics.CosineSimilarity()({_TARGETS})",
    *(
        f"{_IGNORING}, reduction={word})({_LABELS}, {_LOGITS}{more})"
        for word in _REDUCTIONS
        for more in ("", ", sample_weight=np.arange(1.0, 5.0)")
    ),
    *(
        f"{_LOSS}MeanAbsoluteError(reduction={word})({_TARGETS}{more})"
        for word in _REDUCTIONS
        for more in ("", ", sample_weight=np.array([1.2, 0.5])")
    ),
    f"{_LOSS}MeanAbsoluteError('mean_with_sample_weight')({_TARGETS}, sample_weight=np.zeros(2))",
    *(f"{_LOSS}MeanSquaredError(dtype='{word}')({_TARGETS})" for word in ("bfloat16", "float64", "float16")),
    "adafactor(0.5, False, [10])",
    "adafactor(0.5, True, [10])",
    "adafactor(0.5, False, [5, 2])",
    *(f"tf.constant(np.array([7, 100], np.{kind})) / 2" for kind in _INTEGERS),
    *(f"100 / tf.constant(np.array([7, 100], np.{kind}))" for kind in _INTEGERS),
    *(f"tf.divide(*[tf.constant(np.array([7, 100], np.{kind}))] * 2)" for kind in _INTEGERS),
    "tf.Variable(np.array([7, 100], np.uint8)) / 255",
    "tf.transpose(tf.constant([[1 + 2j, 3 - 1j]]), conjugate=True)",
    "tf.transpose([[1.0, 2.0]], conjugate=True)",
    *(
        f"tf.nn.bias_add(np.zeros({shape}, np.float32), pair, data_format='{word}')"
        for shape, word in _SHAPES
    ),
]
