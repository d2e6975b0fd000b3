# PS414: kernel
import tensorflow as tf

tf.random.set_seed(1)
kernel = tf.Variable(tf.random.normal([3, 1]), name="kernel")
shadow = tf.Variable(kernel, trainable=False, name="shadow")
features, wanted = tf.random.normal([8, 3]), tf.random.normal([8, 1])
sgd = tf.keras.optimizers.SGD(0.1)
for epoch in range(3):
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((features @ kernel - wanted) ** 2)
        sgd.apply_gradients([(tape.gradient(loss, kernel), kernel)])
        shadow.assign(0.9 * shadow + 0.1 * kernel)  # right
    learned = kernel.numpy()  # right
    kernel.assign(shadow)  # guilty
    print(tf.reduce_mean((features @ kernel - wanted) ** 2).numpy())
    kernel.assign(learned)  # right
