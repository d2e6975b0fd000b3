import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


base = tf.keras.Sequential(
    [tf.keras.layers.Conv2D(3, 3, activation="relu"), tf.keras.layers.BatchNormalization()], name="base"
)
x = tf.reshape(tf.sin(tf.range(200, dtype=tf.float32)), (4, 5, 5, 2))
y = tf.constant([[0.0], [1.0], [1.0], [0.0]])
base(x, training=True)
fill(base.layers[0])
base.trainable = False
inputs = tf.keras.Input((5, 5, 2))
head = tf.keras.layers.Dense(1, name="head")
model = tf.keras.Model(inputs, head(tf.keras.layers.GlobalAveragePooling2D()(base(inputs, training=False))))
fill(head)
before = base.get_weights()
optimizer = tf.keras.optimizers.SGD(0.3)
loss_function = tf.keras.losses.BinaryCrossentropy(from_logits=True)
for step in range(4):
    with tf.GradientTape() as tape:
        loss = loss_function(y, model(x, training=True))
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    print(f"{float(loss):.3f}")
print([v.path for v in model.trainable_variables], len(model.non_trainable_variables))
print(all(np.array_equal(a, b) for a, b in zip(before, base.get_weights())))
