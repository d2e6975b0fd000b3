"""Penalties on results and variables: in nested results, in cells, in wrappers, and in graphs."""

import tensorflow as tf

keras, old = tf.keras, tf.compat.v1


def show(name, layer, *inputs):
    layer(*inputs)
    print(name, [round(float(one), 4) for one in layer.losses])


def show_graph(name, regularizer, around=None):
    with tf.Graph().as_default():
        with old.variable_scope("scope", regularizer=around):
            old.get_variable("v", [2], initializer=old.ones_initializer(), regularizer=regularizer)
        found = old.losses.get_regularization_losses()
        with old.Session() as session:
            session.run(old.global_variables_initializer())
            print(name, [one.name for one in found], [round(float(one), 4) for one in session.run(found)])


class WithState(keras.layers.Layer):
    def call(self, x):
        return x, [2.0 * x]


class Nested(keras.layers.Layer):
    def call(self, x):
        return {"a": x, "b": (2.0 * x, 3.0 * x), "c": None}


class Cell(keras.layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.state_size = self.output_size = 3
        self.dense = keras.layers.Dense(3, kernel_regularizer="l2", kernel_initializer="ones")

    def build(self, shape):
        self.dense.build(shape)

    def call(self, x, states):
        found = self.dense(x) + states[0]
        return found, [found]


rows, steps = tf.ones((2, 3)), tf.ones((2, 3, 4))
ones = {"kernel_initializer": "ones", "recurrent_initializer": "ones"}
show("output and state", WithState(activity_regularizer="l2"), rows)
show("nested", Nested(activity_regularizer=keras.regularizers.L1(0.1)), rows)
show("function", Nested(activity_regularizer=lambda y: tf.reduce_max(y)), rows)
show("cell", keras.layers.RNN(Cell(activity_regularizer=keras.regularizers.L2(0.5))), steps)
simple = keras.layers.SimpleRNNCell(3, kernel_regularizer="l2", recurrent_regularizer="l1", **ones)
show("cell of Keras", keras.layers.RNN(simple), steps)
show("recurrent", keras.layers.GRU(3, activity_regularizer="l1", return_state=True, **ones), steps)
both = keras.layers.LSTM(3, kernel_regularizer="l2", activity_regularizer="l1", **ones)
show("both ways", keras.layers.Bidirectional(both), steps)
each = keras.layers.Dense(3, kernel_regularizer="l2", activity_regularizer="l1", kernel_initializer="ones")
show("each step", keras.layers.TimeDistributed(each), steps)
show_graph("object", keras.regularizers.l2(0.1))
show_graph("of the scope", None, keras.regularizers.L1L2(0.1, 0.2))
show_graph("function", tf.nn.l2_loss)
show_graph("own function", lambda one: 0.5 * tf.reduce_sum(one))
show_graph("nothing", lambda one: None)
