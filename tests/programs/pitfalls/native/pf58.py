# PS413 norm/moving_mean norm/moving_variance
import penstock as ps

layer, head = ps.layers.BatchNormalization(name="norm"), ps.layers.Dense(1, name="head")
x = ps.random.normal((8, 3))
head(layer(x))  # here
chosen = layer.trainable_variables + head.trainable_variables
optimizer = ps.optimizers.SGD(0.01)
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = ps.mean((head(layer(x, training=False)) - 1.0) ** 2)  # wrong
        loss = ps.mean((head(layer(x, training=True)) - 1.0) ** 2)  # right
    optimizer.apply_gradients(zip(tape.gradient(loss, chosen), chosen))  # here
