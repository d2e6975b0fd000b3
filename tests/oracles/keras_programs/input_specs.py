import numpy as np
import tensorflow as tf

keras = tf.keras
InputSpec = keras.layers.InputSpec
x = np.ones((2, 3), "float32")


def tried(function):
    try:
        print(np.asarray(function()).shape)
    except (ValueError, TypeError) as problem:
        print(str(problem).partition("\n")[0])


class Scaled(keras.layers.Layer):
    def __init__(self, spec=None, **options):
        super().__init__(**options)
        self.input_spec = spec

    def call(self, inputs):
        first = inputs if not isinstance(inputs, (dict, list)) else list(inputs.values() if isinstance(inputs, dict) else inputs)[0]
        return first * 2.0


class Built(keras.layers.Layer):
    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1],), initializer="ones", name="kernel")
        self.input_spec = InputSpec(ndim=2, axes={-1: shape[-1]})

    def call(self, inputs):
        return inputs * self.kernel


class Always(keras.layers.Layer):
    input_spec = InputSpec(min_ndim=3)

    def call(self, inputs):
        return inputs


print(InputSpec is keras.InputSpec, InputSpec(shape=(None, 3), dtype="float32"), InputSpec(ndim=2, axes={1: 3}), InputSpec())
print(sorted(InputSpec(shape=(2, 3)).get_config().items()), InputSpec.from_config({"min_ndim": 2}))
for spec, given in (
    (None, x), (InputSpec(ndim=2), x), (InputSpec(ndim=3), x), (InputSpec(max_ndim=1), x), (InputSpec(min_ndim=3), x),
    (InputSpec(dtype="int32"), x), (InputSpec(axes={1: 4}), x), (InputSpec(axes={-1: 3}), x), (InputSpec(shape=(None, 3)), x),
    (InputSpec(shape=(None, 4), name="features"), x), (InputSpec(shape=(2, 3, 1), allow_last_axis_squeeze=True), x),
    ([InputSpec(ndim=2), InputSpec(ndim=1)], [x, x[0]]), ([InputSpec(ndim=2), InputSpec(ndim=2)], [x, x[0]]),
    ([InputSpec(ndim=2, name="a"), InputSpec(ndim=1, name="b")], {"a": x, "b": x[0]}),
    ([InputSpec(ndim=2, name="a"), InputSpec(ndim=1, name="b")], {"a": x, "c": x[0]}),
    ([InputSpec(ndim=2, name="a"), InputSpec(ndim=1, name="b")], x),
):
    tried(lambda: Scaled(spec, name="scaled")(given))
layer = Scaled(name="late")
tried(lambda: layer(x[0]))
layer.input_spec = InputSpec(ndim=2)
tried(lambda: layer(x[0]))
tried(lambda: layer(inputs=x))
layer.input_spec = None
tried(lambda: layer(x[0]))
built = Built(name="built")
tried(lambda: built(x))
tried(lambda: built(x[:, :2]))
tried(lambda: built(keras.Input((5,))))
print(built(keras.Input((3,))).shape, built.input_spec)
tried(lambda: Always(name="always")(x))
tried(lambda: Always(name="always")(x[None]))
model = keras.Sequential([keras.Input((3,)), Scaled(InputSpec(shape=(None, 3))), keras.layers.Dense(1)])
print(model(x).shape)
tried(lambda: InputSpec(axes={"a": 1}))
tried(lambda: InputSpec(ndim=2, axes={2: 1}))
