import penstock as ps

moving = ps.Variable(0.0, name="moving", trainable=True)
resting = ps.Variable(1.0, name="resting", trainable=False)


def bowl(first, second):
    return (first - 2) ** 2 + (second - 3) ** 2


descent = ps.optimizers.SGD(0.1)

for turn in range(10):
    with ps.GradientTape() as tape:
        height = bowl(moving, resting)
    slopes = tape.gradient(height, [moving])
    descent.apply_gradients(zip(slopes, [moving]))
    print(f"turn {turn}: moving {moving.numpy():.7f} resting {resting.numpy()}")
