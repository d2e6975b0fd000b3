# PS403 norm/moving_mean norm/moving_variance
import penstock as ps

layer, head = ps.layers.BatchNormalization(name="norm"), ps.layers.Dense(1, name="head")
x = ps.random.normal((8, 3))
head(layer(x))
layer.gamma.trainable = layer.beta.trainable = False
optimizer = ps.optimizers.SGD(0.01)
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = ps.mean(head(layer(x, training=True)) ** 2)  # wrong
        loss = ps.mean(head(layer(x, training=False)) ** 2)  # right
    optimizer.apply_gradients(zip(tape.gradient(loss, head.variables), head.variables))
