import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 3])
target = tf.placeholder(tf.float32, [None, 1])
hidden = tf.keras.layers.Dense(4, activation="tanh", kernel_initializer="ones", name="hidden")
head = tf.keras.layers.Dense(1, kernel_initializer="ones", kernel_regularizer=tf.keras.regularizers.L2(0.1))
found = head(hidden(x))
loss = tf.reduce_mean(tf.square(found - target)) + tf.add_n(head.losses)
step = tf.train.AdamOptimizer(0.1).minimize(loss)
print([v.name for v in tf.trainable_variables()], found.shape)
fed = {x: np.arange(6).reshape(2, 3) / 5.0, target: [[1.0], [-1.0]]}
gradients = tf.gradients(loss, hidden.trainable_weights)
for _ in range(2):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            print(round(float(session.run([loss, step], fed)[0]), 4))
        print(
            [g.shape for g in session.run(gradients, fed)],
            session.run(tf.global_variables("dense/bias")[0]).round(4),
        )
try:
    head.get_weights()
except NotImplementedError:
    print("get_weights is refused")
