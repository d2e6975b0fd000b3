import penstock as ps

stepped = ps.Variable(0.0, name="stepped", trainable=True)
written = ps.Variable(1.0, name="written", trainable=False)


def bowl(first, second):
    return (first - 2) ** 2 + (second - 3) ** 2


for turn in range(10):
    with ps.GradientTape() as tape:
        height = bowl(stepped, written)
    slopes = tape.gradient(height, [stepped])
    descent = ps.optimizers.SGD(0.1)
    descent.apply_gradients(zip(slopes, [stepped]))
    written.assign(written - 0.1 * (2 * (written - 3)))
    print(f"turn {turn}: stepped {stepped.numpy():.7f} written {written.numpy():.7f}")
