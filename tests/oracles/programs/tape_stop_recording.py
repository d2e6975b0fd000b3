import tensorflow as tf

weight = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as tape:
    recorded = weight * weight
    with tape.stop_recording():
        unrecorded = weight * weight
    mixed = recorded + unrecorded * weight
print(tape.gradient(recorded, weight))
print(tape.gradient(unrecorded, weight))
print(tape.gradient(mixed, weight))
