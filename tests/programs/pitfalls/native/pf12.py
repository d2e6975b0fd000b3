# PS404 encoder
import penstock as ps

encoder, head = ps.Variable(1.0, name="encoder"), ps.Variable(1.0, name="head")
optimizer = ps.optimizers.SGD(0.1, momentum=0.9)
for turn in range(5):
    if turn == 2:
        encoder.trainable = False
    with ps.GradientTape() as tape:
        loss = (encoder * head - 3.0) ** 2
    gradients = tape.gradient(loss, [encoder, head], unconnected_gradients="zero")  # wrong
    chosen = [v for v in (encoder, head) if v.trainable]  # right
    gradients = tape.gradient(loss, chosen)  # right
    optimizer.apply_gradients(zip(gradients, [encoder, head]))  # wrong
    optimizer.apply_gradients(zip(gradients, chosen))  # right
