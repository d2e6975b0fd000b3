import tensorflow as tf

used = tf.Variable(1.0, name="used")
unused = tf.Variable(2.0, name="unused")
also_unused = tf.Variable([3.0], name="also_unused")
descent = tf.keras.optimizers.SGD(learning_rate=0.25)
for turn in range(2):
    with tf.GradientTape() as tape:
        cost = used * used
    variables = [unused, used, also_unused]
    slopes = tape.gradient(cost, variables)
    descent.apply_gradients(zip(slopes, variables))
    print([variable.numpy().tolist() for variable in variables])
