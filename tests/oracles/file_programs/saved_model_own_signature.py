import tempfile
import warnings

import tensorflow as tf

warnings.simplefilter("ignore")
SCALAR = tf.TensorSpec(None, tf.float32)


class Powers(tf.Module):
    @tf.function(input_signature=[SCALAR, SCALAR])
    def pow(self, x, y):
        return {"xy": tf.math.pow(x, y), "yx": tf.math.pow(y, x)}

    @tf.function
    def free(self, x):
        return x


class Two(Powers):
    @tf.function(input_signature=[SCALAR])
    def other(self, x):
        return x + 1.0


class Silent(tf.Module):
    @tf.function(input_signature=[SCALAR])
    def nothing(self, x):
        tf.square(x)


for kind in (Powers, Two, Silent):
    folder = tempfile.mkdtemp()
    tf.saved_model.save(kind(), folder)
    loaded = tf.saved_model.load(folder)
    print(kind.__name__, list(loaded.signatures))
    if loaded.signatures:
        found = loaded.signatures["serving_default"](x=tf.constant(2.0), y=tf.constant(5.0))
        print({key: float(found[key]) for key in sorted(found)})
