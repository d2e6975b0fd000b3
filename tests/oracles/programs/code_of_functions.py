import tensorflow as tf


def clipped(x):
    if tf.reduce_sum(x) > 1.0:
        return x / 2.0
    return x


@tf.function
def compiled(x):
    return clipped(x) + 1.0


for function in clipped, compiled.python_function:
    code = tf.autograph.to_code(function)
    print(type(code).__name__, "def" in code, function.__name__ in code)
print(compiled(tf.constant([1.0, 3.0])))
