import tensorflow as tf

weight = tf.Variable([1.0, 2.0], name="weight")
adam = tf.keras.optimizers.Adam(learning_rate=0.25, beta_1=0.5)
print(adam.name, float(adam.learning_rate), adam.beta_1, adam.beta_2, adam.epsilon, int(adam.iterations))
adam.apply_gradients([(tf.constant([1.0, 2.0]), weight)])
print(int(adam.iterations), [variable.shape for variable in adam.variables])
for key, value in tf.keras.optimizers.SGD(learning_rate=0.25, momentum=0.5).get_config().items():
    print(key, value)
