import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.BatchNormalization(), tf.keras.layers.Dense(1)])
x = tf.random.normal((8, 3))
optimizer = tf.keras.optimizers.Adam(0.01)
for _ in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - 1.0) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
print(float(tf.reduce_mean(model(x, training=False))))
