import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(8)
names = {
    "u": tf.random_uniform_initializer(-1.0, 1.0),
    "n": tf.random_normal_initializer(2.0, 0.1),
    "t": tf.truncated_normal_initializer(stddev=0.5),
    "g": tf.glorot_uniform_initializer(),
    "v": tf.variance_scaling_initializer(2.0),
    "d": None,
}
made = {name: tf.get_variable(name, [200, 100], initializer=one) for name, one in names.items()}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = session.run(made)
for name, value in values.items():
    print(name, value.shape, value.dtype, round(float(value.mean()), 6), round(float(value.std()), 5))
    print(value.ravel()[:4].round(5).tolist())
print(abs(values["u"]).max() <= 1.0, abs(values["t"]).max() <= 1.0)
