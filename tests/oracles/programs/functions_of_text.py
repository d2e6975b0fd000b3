import tensorflow as tf


@tf.function
def double(a):
    return a + a


concrete = double.get_concrete_function(tf.constant("a"))
print(concrete(tf.constant("a")), concrete(a=tf.constant("b")))
ragged = tf.ragged.constant([[1, 2], [3]])
print(double.get_concrete_function(ragged)(ragged))


@tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
def lengths(x):
    return tf.strings.length(x)


print(lengths(tf.constant(["abc", "d"])), lengths(["abc", "d"]))
for wrong in (tf.constant("abc"), tf.constant([1])):
    try:
        lengths(wrong)
    except TypeError as error:
        print("Binding inputs" in str(error))
words = tf.constant(["x", "y"])
print(f"{words} {tf.constant('q')}", f"{tf.constant(3):>5}")
for shape in ([], [0], [1], [None], None):
    print(bool(tf.TensorShape(shape)))
