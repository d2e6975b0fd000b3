# PS403 encoder/moving_mean encoder/moving_variance
import penstock as ps

encoder, head = ps.layers.BatchNormalization(name="encoder"), ps.layers.Dense(1, name="head")
x = ps.random.normal((8, 3))
head(encoder(x))
for one in encoder.trainable_variables:
    one.trainable = False
optimizer, training = ps.optimizers.SGD(0.01), False
training = True  # wrong
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = ps.mean(head(encoder(x, training=training)) ** 2)  # here
    optimizer.apply_gradients(zip(tape.gradient(loss, head.variables), head.variables))
