import penstock as ps

w = ps.Variable([1.0, 2.0], name="w")
weight = ps.Variable(0.1, name="weight")
temperature = ps.Variable(2.0, name="temperature")
rate = ps.Variable(0.1, name="rate", trainable=False)
count = ps.Variable(0, name="count", trainable=False)
flag = ps.Variable(1.0, name="flag", trainable=False)
for step in range(5):
    with ps.GradientTape() as tape:
        loss = ps.sum((w / temperature - 1.0) ** 2) + weight * ps.sum(w**2)
    gradient = tape.gradient(loss, w)
    rate.assign(0.1)
    flag.assign(1.0)
    w.assign_sub(rate * gradient)
    count.assign_add(1)
optimizer = ps.optimizers.SGD(0.1)
for step in range(3):
    with ps.GradientTape() as tape:
        loss = ps.sum((w / temperature - 1.0) ** 2) + weight * ps.sum(w**2)
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
