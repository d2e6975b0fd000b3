# PS109: part
import tensorflow as tf

tf.random.set_seed(1)
part, total = tf.Variable(3.0, name="part"), tf.Variable(0.0, name="total")
with tf.GradientTape() as tape:
    total.assign_add(part)  # wrong, guilty
    top = total**2  # wrong
    top = (total + part) ** 2  # right
print(tape.gradient(top, part))
