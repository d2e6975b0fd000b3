import tensorflow as tf

base = tf.keras.Sequential([tf.keras.layers.Dense(4), tf.keras.layers.BatchNormalization()], name="base")
head = tf.keras.layers.Dense(1, name="head")
model, x = tf.keras.Sequential([base, head]), tf.random.normal((8, 3))
model(x)
base.trainable = False
for rate in (0.1, 0.01):
    optimizer = tf.keras.optimizers.Adam(rate)
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((head(base(x, training=False)) - 1.0) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    base.trainable = True
