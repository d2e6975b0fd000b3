import tensorflow as tf

weight = tf.Variable(3.0)
broken = tf.GradientTape()
try:
    with broken:
        square = weight * weight
        raise KeyError("halfway")
except KeyError as problem:
    print(problem)
with tf.GradientTape() as tape:
    cube = weight * weight * weight
print(tape.gradient(cube, weight).numpy(), broken.gradient(square, weight).numpy())
