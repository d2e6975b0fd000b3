import tensorflow as tf

left = tf.Variable(2.0)
right = tf.Variable(5.0)
for chosen in ("left", "right"):
    with tf.GradientTape() as tape:
        value = left * 3.0 if chosen == "left" else right * right
    print(chosen, tape.gradient(value, [left, right]))
