import numpy as np
import tensorflow as tf

layers = tf.keras.layers
table = np.asarray([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]], np.float32)
x = tf.sparse.from_dense(table)
start = tf.keras.Input((3,), sparse=True)
hidden = layers.Dense(2, kernel_initializer="ones", activation="tanh")(start)
dense = layers.Lambda(lambda one: tf.sparse.to_dense(one) * 2.0, output_shape=(3,))(start)
model = tf.keras.Model(start, layers.Concatenate()([hidden, dense]))
print(start.sparse, hidden.sparse, model.get_config()["layers"][0]["config"]["sparse"])
print(model(x).numpy().round(4).tolist())


class Product(layers.Layer):
    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], 2), initializer="ones")

    def call(self, inputs):
        return tf.sparse.sparse_dense_matmul(inputs, self.kernel)


print(Product()(x).numpy().tolist())
for optimizer in ("sgd", "adam"):
    row = tf.keras.Sequential(
        [tf.keras.Input((3,), sparse=True), layers.Dense(1, kernel_initializer="ones")]
    )
    row.compile(optimizer, "mse")
    history = row.fit(x, np.ones((2, 1)), batch_size=2, epochs=3, verbose=0)
    print([round(one, 4) for one in history.history["loss"]], row.predict(x, verbose=0).round(4).tolist())
    print(row(table).numpy().round(4).tolist(), round(row.evaluate(x, np.ones((2, 1)), verbose=0), 4))
print(tf.keras.models.clone_model(row)(x).shape, tf.keras.Sequential.from_config(row.get_config())(x).shape)
