import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
path = os.path.join(tempfile.mkdtemp(), "model")
with tf.Graph().as_default(), tf.Session() as session:
    with tf.variable_scope("bert"):
        tf.get_variable("weight", initializer=[1.0, 2.0])
        tf.get_variable("layer/bias", initializer=[0.5])
    tf.get_variable("count", initializer=7, trainable=False)
    session.run(tf.global_variables_initializer())
    saved = tf.train.Saver().save(session, path)
print([name for name, shape in tf.train.list_variables(path)])
ways = (
    {"bert/": "model/"},
    {"bert/weight": "model/weight", "bert/layer/bias": "other"},
    {"bert/weight": "model/weight", "bert/": "again/"},
    [("count", "total")],
    {"missing": "model/weight"},
    {"count": "model/weight"},
    {"bert/": "again/", "/": "nowhere/"},
)
for way in ways:
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.variable_scope("model"):
            tf.get_variable("weight", [2], initializer=tf.zeros_initializer())
            tf.get_variable("layer/bias", [1], initializer=tf.zeros_initializer())
        with tf.variable_scope("again"):
            tf.get_variable("weight", [2], initializer=tf.zeros_initializer())
        tf.get_variable("other", [1], initializer=tf.ones_initializer())
        tf.get_variable("total", initializer=0)
        try:
            tf.train.init_from_checkpoint(path, way)
        except ValueError as error:
            print(type(error).__mro__[-4].__name__)
            continue
        session.run(tf.global_variables_initializer())
        for one in tf.global_variables():
            print(one.op.name, np.asarray(session.run(one)).tolist())
with tf.Graph().as_default(), tf.Session() as session:
    one = tf.get_variable("bert/weight", [2], initializer=tf.zeros_initializer())
    two = tf.get_variable("mine", [1], initializer=tf.zeros_initializer())
    tf.train.warm_start(path, "bert/.*|mine", var_name_to_prev_var_name={"mine": "bert/layer/bias"})
    session.run(tf.global_variables_initializer())
    print(session.run([one, two]))
print(len(tf.train.get_checkpoint_mtimes([path, path + "none"])))
tf.train.remove_checkpoint(path)
print(tf.train.checkpoint_exists(path))
