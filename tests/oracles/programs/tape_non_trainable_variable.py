import tensorflow as tf

fixed = tf.Variable(2.0, trainable=False)
with tf.GradientTape(persistent=True) as tape:
    square = fixed * fixed
print(tape.gradient(square, fixed))
with tf.GradientTape() as watching:
    watching.watch(fixed)
    square = fixed * fixed
print(watching.gradient(square, fixed))
print(fixed.trainable)
