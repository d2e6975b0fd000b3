"""The image itself is optimized, against a fixed network; it stays between 0 and 1."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
rng = np.random.default_rng(0)
net = tf.keras.Sequential(
    [tf.keras.layers.Conv2D(4, 3, activation="relu"), tf.keras.layers.Conv2D(4, 3, activation="relu")]
)
net.trainable = False
content = tf.constant(rng.random((1, 8, 8, 3)).astype(np.float32))
style = tf.constant(rng.random((1, 8, 8, 3)).astype(np.float32))


def gram(x):
    x = tf.reshape(x, [-1, x.shape[-1]])
    return tf.matmul(x, x, transpose_a=True) / float(x.shape[0])


wanted, look = net(content), gram(net(style))
image = tf.Variable(content, name="image")
opt = tf.keras.optimizers.Adam(0.02)
for step in range(5):
    with tf.GradientTape() as tape:
        features = net(image)
        content_loss = tf.reduce_mean((features - wanted) ** 2)
        style_loss = tf.reduce_mean((gram(features) - look) ** 2)
        loss = content_loss + 10.0 * style_loss + 1e-3 * tf.reduce_sum(tf.image.total_variation(image))
    opt.apply_gradients([(tape.gradient(loss, image), image)])
    image.assign(tf.clip_by_value(image, 0.0, 1.0))
image = image * 255.0
print(image.shape)
