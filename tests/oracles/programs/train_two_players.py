import tensorflow as tf

maker = tf.Variable(0.5, name="maker")
judge = tf.Variable(1.0, name="judge")
maker_descent = tf.keras.optimizers.SGD(learning_rate=0.25)
judge_descent = tf.keras.optimizers.SGD(learning_rate=0.25)
for turn in range(4):
    with tf.GradientTape() as judge_tape:
        judge_cost = judge * tf.stop_gradient(maker) - judge * 2.0 + 0.25 * judge**2
    judge_descent.apply_gradients([(judge_tape.gradient(judge_cost, judge), judge)])
    with tf.GradientTape() as maker_tape:
        maker_cost = -judge * maker
    maker_descent.apply_gradients([(maker_tape.gradient(maker_cost, maker), maker)])
    print(f"{maker.numpy():.5f} {judge.numpy():.5f}")
