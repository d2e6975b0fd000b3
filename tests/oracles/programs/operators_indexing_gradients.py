import tensorflow as tf

weight = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
with tf.GradientTape(persistent=True) as tape:
    results = [weight[0, 1] * 2.0, weight[:, ::-2], weight[1:, -1], weight[0] * weight[1], weight[..., None]]
for result in results:
    print(result.shape, tape.gradient(result, weight).numpy().tolist())
