import tensorflow as tf
import numpy as np

keras = tf.keras
print(keras.version(), keras.InputSpec is keras.layers.InputSpec)
with keras.name_scope("outer"):
    v = keras.Variable(1.0, name="v")
    l = keras.layers.Dense(2, name="d")
    l.build((None, 3))
    print(v.path, l.path, l.kernel.path)
    with keras.name_scope("inner"):
        print(keras.Variable(1.0, name="w").path)
l2 = keras.layers.Dense(2, name="e")
l2.build((None, 3))
print(l2.path, l2.kernel.path)
with keras.name_scope("outer"):
    l3 = keras.layers.Dense(2, name="f")
l3(np.ones((1, 3)))
print(l3.path, l3.kernel.path)
l4 = keras.layers.Dense(2, name="g")
with keras.name_scope("late"):
    l4(np.ones((1, 3)))
print(l4.path, l4.kernel.path)


class Block(keras.layers.Layer):
    def __init__(self, **k):
        super().__init__(**k)
        self.a = keras.layers.Dense(1, name="a")

    def build(self, s):
        with keras.name_scope("part"):
            self.w = self.add_weight(shape=(1,), name="w")

    def call(self, x):
        with keras.name_scope("sub"):
            return self.a(x) + self.w


b = Block(name="b")
b(np.ones((1, 3)))
print([w.path for w in b.weights])
try:
    keras.name_scope("a/b")
except ValueError as e:
    print(str(e).partition("\n")[0])
s = keras.RematScope(mode="full")
with s:
    print(keras.layers.Dense(1, kernel_initializer="ones")(np.ones((1, 3))).numpy())
try:
    keras.RematScope("x")
except ValueError as e:
    print(str(e).partition("\n")[0])
with keras.device("cpu:0"):
    print(keras.ops.ones((1,)).numpy())


class Double(keras.Operation):
    def __init__(self, k, name=None):
        super().__init__(name=name)
        self.k = k

    def call(self, x):
        return x * self.k

    def compute_output_spec(self, x):
        return keras.KerasTensor(x.shape, x.dtype)


d = Double(2.0)
print(d.name, d(keras.ops.ones((2,))).numpy(), isinstance(keras.layers.Dense(1), keras.Operation))
x = keras.Input((3,))
y = d(x)
print(y.shape, isinstance(y, keras.KerasTensor), d.input.shape, d.output.shape, d)
m = keras.Model(x, y)
print(m(np.ones((1, 3))).numpy())
f = keras.Function(x, y * 3.0, name="fun")
print(f(np.ones((1, 3), "float32")).numpy(), f.name, [i.shape for i in f.inputs], [o.shape for o in f.outputs])
f = keras.Function({"a": x}, [y, y + 1.0])
print([np.asarray(o) for o in f({"a": np.ones((1, 3), "float32")})])
print(f.compute_output_spec({"a": keras.Input((3,))})[0].shape)
print(sorted(d.get_config().items()), Double.from_config({"k": 3.0}).k)
