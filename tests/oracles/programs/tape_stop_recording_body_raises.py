import tensorflow as tf

weight = tf.Variable(3.0)
with tf.GradientTape() as tape:
    try:
        with tape.stop_recording():
            raise KeyError("halfway")
    except KeyError as problem:
        print(problem)
    square = weight * weight
print(tape.gradient(square, weight).numpy())
