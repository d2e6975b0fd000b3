"""A scaffold's function is called with the scaffold and the session; its own errors are not hidden."""

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


def start(function):
    tf.reset_default_graph()
    value = tf.Variable(1.0, name="value")
    scaffold = tf.train.Scaffold(init_fn=function)
    try:
        with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold)) as session:
            print(session.run(value))
    except TypeError as error:
        print("TypeError", error)


def of_both(scaffold, session):
    print(type(scaffold).__name__, session.run(tf.global_variables()))


def of_session(session):
    print("called with one")


def failing(scaffold, session):
    print("called")
    raise TypeError("from the function itself")


for one in (of_both, of_session, failing):
    start(one)
