import tensorflow as tf

weight = tf.Variable(3.0)
best = tf.Variable(float("inf"), trainable=False)
patience = tf.Variable(0, trainable=False)
for turn in range(5):
    with tf.GradientTape() as tape:
        loss = abs(weight - 1.0)
    slope = tape.gradient(loss, weight)
    if loss < best:
        best.assign(loss)
        patience.assign(0)
    else:
        patience.assign_add(1)
    weight.assign_sub(1.5 * slope)
    print(loss.numpy(), best.numpy(), patience.numpy(), weight.numpy())
