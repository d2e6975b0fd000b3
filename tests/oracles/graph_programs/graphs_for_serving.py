"""Writes a model with its signatures, and in what may be another process loads it by tags."""

import os
import shutil
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
folder = os.path.join(tempfile.gettempdir(), "graphs_for_serving")
shutil.rmtree(folder, ignore_errors=True)
x = tf.placeholder(tf.float32, [None, 2], name="x")
weight = tf.get_variable("weight", initializer=[[1.0], [2.0]])
y = tf.matmul(x, weight, name="y")
count = tf.Variable(0, trainable=False, name="count")
counted = tf.assign_add(count, 1, name="counted")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run([counted, weight.assign(weight * 3.0)])
    print(
        tf.saved_model.simple_save(session, os.path.join(folder, "simple"), inputs={"x": x}, outputs={"y": y})
    )
    builder = tf.saved_model.builder.SavedModelBuilder(os.path.join(folder, "built"))
    info = tf.saved_model.utils.build_tensor_info
    signature = tf.saved_model.signature_def_utils.build_signature_def(
        inputs={"features": info(x)},
        outputs={"scores": info(y)},
        method_name=tf.saved_model.signature_constants.PREDICT_METHOD_NAME,
    )
    other = tf.saved_model.signature_def_utils.predict_signature_def(
        inputs={"a": x}, outputs={"b": y, "c": weight}
    )
    builder.add_meta_graph_and_variables(
        session,
        [tf.saved_model.tag_constants.SERVING, tf.saved_model.tag_constants.GPU],
        signature_def_map={"predict": signature, "other": other},
        main_op=tf.group(counted),
    )
    builder.save()
    print(tf.saved_model.signature_def_utils.is_valid_signature(signature))
    try:
        tf.saved_model.simple_save(session, os.path.join(folder, "simple"), inputs={"x": x}, outputs={"y": y})
    except AssertionError as error:
        print("AssertionError", "isn't empty" in str(error))

# -- another process --

import os
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.reset_default_graph()
folder = os.path.join(tempfile.gettempdir(), "graphs_for_serving")
with tf.Session(graph=tf.Graph()) as session:
    meta = tf.saved_model.loader.load(
        session, [tf.saved_model.tag_constants.SERVING], os.path.join(folder, "simple")
    )
    print(session.run("y:0", {"x:0": [[1.0, 1.0]]}).tolist(), session.run("count:0"))
    signature = meta.signature_def[tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY]
    print(signature.inputs["x"].name, signature.outputs["y"].name, signature.method_name)
    print([one.name for one in tf.trainable_variables()])
    print(session.run("counted:0"))
with tf.Session(graph=tf.Graph()) as session:
    meta = tf.saved_model.loader.load(session, ["gpu", "serve"], os.path.join(folder, "built"))
    print(sorted(meta.signature_def), sorted(meta.signature_def["other"].outputs))
    signature = meta.signature_def["predict"]
    given = tf.saved_model.utils.get_tensor_from_tensor_info(signature.inputs["features"])
    scores = session.graph.get_tensor_by_name(signature.outputs["scores"].name)
    print(session.run(scores, {given: [[2.0, 1.0]]}).tolist(), session.run("count:0"))
    print(session.run(meta.signature_def["other"].outputs["c"].name).tolist())
with tf.Session(graph=tf.Graph()) as session:
    for tags, name in ((["train"], "built"), (["serve"], "absent")):
        try:
            tf.saved_model.loader.load(session, tags, os.path.join(folder, name))
        except (RuntimeError, OSError) as error:
            print(type(error).__name__)
print(tf.saved_model.loader.maybe_saved_model_directory(os.path.join(folder, "built")))
print(tf.saved_model.contains_saved_model(folder))
