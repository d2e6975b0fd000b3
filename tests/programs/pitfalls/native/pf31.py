# PS404 frozen
import penstock as ps

frozen, free = ps.Variable(1.0, name="frozen"), ps.Variable(1.0, name="free")
optimizer = ps.optimizers.AdamW(0.1, weight_decay=0.5)
frozen.trainable = False
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = (frozen * free - 3.0) ** 2
    pairs = [(tape.gradient(loss, free), free)]
    pairs.append((ps.zeros_like(frozen), frozen))  # wrong
    optimizer.apply_gradients(pairs)  # here
