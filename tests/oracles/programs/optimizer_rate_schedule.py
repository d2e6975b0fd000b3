import tensorflow as tf

weight = tf.Variable(8.0)
halving = tf.keras.optimizers.schedules.ExponentialDecay(1.0, decay_steps=1, decay_rate=0.5)
descent = tf.keras.optimizers.SGD(learning_rate=halving)
for turn in range(4):
    descent.apply_gradients([(tf.constant(1.0), weight)])
    print(weight.numpy(), float(descent.learning_rate))
