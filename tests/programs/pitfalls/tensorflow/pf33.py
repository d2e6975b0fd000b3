# PS422 base/kernel base/bias
import tensorflow as tf

base, adapter = tf.keras.layers.Dense(4, name="base"), tf.keras.layers.Dense(4, name="lora")
x = tf.random.normal((8, 3))
adapter(x), base(x)
base.trainable = False
for layer in (base, adapter):  # wrong
    layer.trainable = True  # wrong
optimizer = tf.keras.optimizers.SGD(0.1)
chosen = base.trainable_variables + adapter.trainable_variables
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((base(x) + adapter(x) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, chosen), chosen))
