import tensorflow as tf

weight = tf.Variable(1.0)
print({weight.ref(): "kept"}[weight.ref()], weight.ref().deref() is weight)
print({weight: "lost"})
