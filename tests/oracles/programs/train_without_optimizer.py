import tensorflow as tf

weights = [tf.Variable([1.0, 2.0]), tf.Variable(3.0)]
for turn in range(3):
    with tf.GradientTape() as tape:
        cost = tf.reduce_sum(weights[0] ** 2) * weights[1]
    for weight, slope in zip(weights, tape.gradient(cost, weights)):
        weight.assign_sub(0.0625 * slope)
    print(cost.numpy(), weights[0].numpy().tolist(), weights[1].numpy())
