"""The words of folders with saved models: names of files, tags and signatures."""

from __future__ import annotations

from penstock.declared import named

NEWER = {
    "ASSETS_DIRECTORY": "assets", "ASSETS_KEY": "saved_model_assets", "DEBUG_DIRECTORY": "debug",
    "DEBUG_INFO_FILENAME_PB": "saved_model_debug_info.pb", "SAVED_MODEL_FILENAME_PB": "saved_model.pb",
    "SAVED_MODEL_FILENAME_PBTXT": "saved_model.pbtxt", "SAVED_MODEL_SCHEMA_VERSION": 1,
    "VARIABLES_DIRECTORY": "variables", "VARIABLES_FILENAME": "variables",
    "SERVING": "serve", "TRAINING": "train", "GPU": "gpu", "TPU": "tpu",
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY": "serving_default",
    "PREDICT_INPUTS": "inputs", "PREDICT_OUTPUTS": "outputs",
    "PREDICT_METHOD_NAME": "tensorflow/serving/predict",
    "CLASSIFY_INPUTS": "inputs", "CLASSIFY_OUTPUT_CLASSES": "classes", "CLASSIFY_OUTPUT_SCORES": "scores",
    "CLASSIFY_METHOD_NAME": "tensorflow/serving/classify",
    "REGRESS_INPUTS": "inputs", "REGRESS_OUTPUTS": "outputs",
    "REGRESS_METHOD_NAME": "tensorflow/serving/regress",
}  # fmt: skip
OLDER = {"LEGACY_INIT_OP_KEY": "legacy_init_op", "MAIN_OP_KEY": "saved_model_main_op"}
"""Words that TensorFlow 1 has beside them."""
FILES = (*list(NEWER)[:9], *OLDER)
"""Those about files."""
for _name, _word in NEWER.items():
    named(f"tf.saved_model.{_name}", f"tf.compat.v1.saved_model.{_name}")(_word)
for _name, _text in OLDER.items():
    named(f"tf.compat.v1.saved_model.{_name}")(_text)
