import tensorflow as tf

kept = tf.Variable(5.0)
remade = tf.Variable(5.0)
lasting = tf.keras.optimizers.SGD(learning_rate=0.1, momentum=0.9)
for turn in range(4):
    with tf.GradientTape(persistent=True) as tape:
        kept_cost = kept * kept
        remade_cost = remade * remade
    lasting.apply_gradients([(tape.gradient(kept_cost, kept), kept)])
    momentary = tf.keras.optimizers.SGD(learning_rate=0.1, momentum=0.9)
    momentary.apply_gradients([(tape.gradient(remade_cost, remade), remade)])
    print(f"{kept.numpy():.5f} {remade.numpy():.5f}")
