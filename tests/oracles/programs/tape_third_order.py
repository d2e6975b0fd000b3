import tensorflow as tf

point = tf.constant(2.0)
with tf.GradientTape() as third_tape:
    third_tape.watch(point)
    with tf.GradientTape() as second_tape:
        second_tape.watch(point)
        with tf.GradientTape() as first_tape:
            first_tape.watch(point)
            quartic = point**4
        first = first_tape.gradient(quartic, point)
    second = second_tape.gradient(first, point)
third = third_tape.gradient(second, point)
print(quartic.numpy(), first.numpy(), second.numpy(), third.numpy())
