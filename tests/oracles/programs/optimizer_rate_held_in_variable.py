import tensorflow as tf

weight = tf.Variable(8.0)
rate = tf.Variable(0.5, trainable=False)
for turn in range(4):
    with tf.GradientTape() as tape:
        cost = weight * weight
    weight.assign_sub(rate * tape.gradient(cost, weight))
    rate.assign(rate * 0.5)
    print(weight.numpy(), rate.numpy())
