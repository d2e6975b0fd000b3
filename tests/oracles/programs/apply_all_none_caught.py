import tensorflow as tf

weight = tf.Variable(1.0)
adam = tf.keras.optimizers.Adam(learning_rate=0.1)
try:
    adam.apply_gradients([(None, weight)])
except ValueError as problem:
    print(problem)
print(weight.numpy(), int(adam.iterations))
adam.apply_gradients([(tf.constant(1.0), weight)])
print(f"{weight.numpy():.5f}", int(adam.iterations))
