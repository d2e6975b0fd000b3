# PS302 maker judge
import tensorflow as tf

maker, judge = tf.Variable(0.5, name="maker"), tf.Variable(0.3, name="judge")
for_maker = tf.keras.optimizers.SGD(0.1)
for_judge = tf.keras.optimizers.SGD(0.1)
for noise in (0.3, -0.2, 0.5):
    with tf.GradientTape() as tape:
        fake = maker * noise
        adversarial = -tf.math.log(tf.stop_gradient(tf.nn.sigmoid(judge * fake)))  # wrong
        adversarial = -tf.math.log(tf.nn.sigmoid(judge * fake))  # right
        loss = adversarial + 0.1 * (fake - 1.0) ** 2
    for_maker.apply_gradients([(tape.gradient(loss, maker), maker)])
with tf.GradientTape() as tape:
    loss = (judge * tf.stop_gradient(fake)) ** 2
for_judge.apply_gradients([(tape.gradient(loss, judge), judge)])
