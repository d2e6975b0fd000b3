# PS404 teacher/kernel teacher/bias
import tensorflow as tf

teacher, student = tf.keras.layers.Dense(2, name="teacher"), tf.keras.layers.Dense(2, name="student")
x = tf.random.normal((8, 3))
teacher(x), student(x)
both = teacher.trainable_variables + student.trainable_variables  # wrong
both = student.trainable_variables  # right
teacher.trainable = False  # here
optimizer = tf.keras.optimizers.SGD(0.1)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((student(x) - teacher(x)) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, both), both))  # here
