import tensorflow as tf

layers = tf.keras.layers


def show(model):
    flags = [one.trainable for one in model.layers]
    print(model.trainable, flags, len(model.trainable_weights), len(model.non_trainable_weights))


base = tf.keras.Sequential([tf.keras.Input((3,)), layers.Dense(4, trainable=False), layers.LayerNormalization()])
show(base)
base.trainable = True
show(base)
base.trainable = False
show(base)
base.layers[0].trainable = True
base.trainable = False
show(base)
base.trainable = True
show(base)
outer = tf.keras.Sequential([base, layers.Dense(2)])
outer.build((None, 3))
base.trainable = False
base.layers[1].trainable = True
outer.trainable = True
show(outer)
show(base)
outer.trainable = False
show(base)
dense = layers.Dense(2)
dense.trainable = False
dense.build((2, 3))
print([one.trainable for one in dense.weights])
dense.trainable = True
print([one.trainable for one in dense.weights])
