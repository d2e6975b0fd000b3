import tensorflow as tf

point = tf.constant(2.0)
with tf.GradientTape(persistent=True) as tape:
    early = point * point
    tape.watch(point)
    late = point * point * point
    both = early + late
print(tape.gradient(early, point))
print(tape.gradient(late, point))
print(tape.gradient(both, point))
