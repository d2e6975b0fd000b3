import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 2])
layer = tf.keras.layers.BatchNormalization(momentum=0.5)
training, resting = layer(x, training=True), layer(x)
kept = tf.keras.layers.Dropout(0.5)(x, training=True)
print([v.name for v in tf.trainable_variables()], tf.get_collection(tf.GraphKeys.UPDATE_OPS))
fed = {x: np.arange(8).reshape(4, 2)}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run(training, fed).round(3).tolist())
    print(session.run(resting, fed).round(3).tolist())
    print([session.run(v).tolist() for v in tf.global_variables("batch_normalization/moving")])
    first = session.run(kept, fed)
    print(all(np.array_equal(first, session.run(kept, fed)) for _ in range(4)))
