import tensorflow as tf

left = tf.Variable([4.0, 9.0])
right = tf.constant([2.0, 3.0])
for name in ("add", "subtract", "multiply", "divide", "maximum", "minimum", "pow", "floordiv", "floormod"):
    print(name, getattr(tf.math, name)(left, right).numpy())
for name in ("square", "sqrt", "abs", "negative", "sign", "round", "floor", "ceil", "reciprocal"):
    print(name, getattr(tf.math, name)(left).numpy())
print(tf.add_n([left, right, right]).numpy(), tf.cumsum(right).numpy(), tf.tensordot(left, right, 1).numpy())
print(
    tf.identity(left).numpy(),
    tf.zeros_like(left).numpy(),
    tf.ones_like(right).numpy(),
    tf.fill([2], 7.0).numpy(),
)
print(tf.one_hot([0, 2], 3).numpy().tolist(), tf.linspace(0.0, 1.0, 5).numpy(), tf.eye(2).numpy().tolist())
