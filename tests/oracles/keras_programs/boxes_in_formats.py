import numpy as np
import tensorflow as tf

keras = tf.keras
tools, legacy = keras.utils.bounding_boxes, keras.utils.legacy
boxes = np.array([[[1.0, 2.0, 5.0, 8.0], [3.0, 0.5, 9.0, 4.0]], [[0.0, 0.0, 2.0, 2.0], [6.0, 6.0, 12.0, 11.0]]], "float32")
others = np.array([[[2.0, 2.0, 6.0, 6.0], [0.0, 0.0, 9.0, 9.0]], [[1.0, 1.0, 2.5, 2.0], [-1.0, -1.0, -1.0, -1.0]]], "float32")


def rounded(value):
    return (np.round(np.asarray(value).astype("float64"), 3) + 0.0).tolist()


formats = ("xyxy", "yxyx", "xywh", "center_xywh", "center_yxhw", "rel_xyxy", "rel_yxyx", "rel_xywh", "rel_center_xywh")
for target in formats:
    made = tools.convert_format(boxes, "xyxy", target, height=10, width=16)
    back = tools.convert_format(made, target, "xyxy", height=10, width=16)
    print(target, rounded(made[0]), bool(np.allclose(back, boxes, atol=1e-5)))
print(rounded(tools.convert_format(boxes[0] / 20, "rel_xywh", "rel_center_xywh", height=10, width=16)))
print(rounded(tools.convert_format(boxes[0], "XYWH", "center_yxhw")), rounded(tools.convert_format({"boxes": boxes[0]}, "yxyx", "xywh")["boxes"]))
found = tools.clip_to_image_size({"boxes": tf.constant(boxes), "labels": tf.constant([[1, 2], [3, 4]])}, height=5, width=6)
print(rounded(found["boxes"]), np.asarray(found["labels"]).tolist())
print(rounded(tools.clip_to_image_size({"boxes": tf.constant(boxes / 8)}, bounding_box_format="rel_xyxy")["boxes"]))
print(rounded(tools.crop(tf.constant(boxes), 1, 2, 4, 5)), rounded(tools.pad(tf.constant(boxes[0]), 3, 4)))
numbers = [tf.constant(one) for one in ([10.0, -30.0], [0.1, 0.0], [0.0, -0.2], [1.0, 1.5], [5.0, 0.0], [0.0, 10.0])]
print(rounded(tools.affine_transform(tf.constant(boxes), *numbers, 10, 16)))
print(rounded(tools.affine_transform(tf.constant(boxes), *numbers, 10, 16, center_x=0.2, center_y=0.9)))
print(rounded(tools.compute_iou(boxes, others, "xyxy")), rounded(tools.compute_iou(boxes[0], others[1], "yxyx", use_masking=True)))
print(rounded(tools.compute_iou(boxes, others, "xyxy", use_masking=True, mask_val=-5)))
print(rounded(tools.compute_iou(boxes[0] / 16, others[0] / 16, "rel_xywh", image_shape=(10, 16, 3))))
print(rounded(tools.compute_ciou(boxes[0], others[0], "xyxy")), rounded(tools.compute_ciou(boxes, others, "center_xywh")))
for words in ({}, {"variance": [0.1, 0.1, 0.2, 0.2]}, {"encoding_format": "center_xywh"}):
    deltas = tools.encode_box_to_deltas(boxes[0], others[0], "xyxy", "xyxy", **words)
    if "encoding_format" in words:
        words = {"encoded_format": words["encoding_format"]}
    print(rounded(deltas), rounded(tools.decode_deltas_to_boxes(boxes[0], deltas, "xyxy", "xywh", **words)))
levels = tools.decode_deltas_to_boxes({"a": boxes[0]}, {"a": others[0] / 10}, "xyxy", "xyxy")
print({key: rounded(value) for key, value in levels.items()})
variable = tf.Variable(boxes[0])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tools.compute_ciou(variable, others[0], "xyxy")) + tf.reduce_sum(tools.compute_iou(variable, others[0], "xyxy"))
print(rounded(tape.gradient(loss, variable)))
print(legacy.serialize_keras_object(keras.regularizers.L2(0.5)), legacy.serialize_keras_object(None))
for function in (
    lambda: tools.convert_format(boxes[..., :3], "xyxy", "xywh"), lambda: tools.convert_format(boxes, "xyxy", "rel_xywh"),
    lambda: tools.compute_iou(boxes[0, 0], boxes, "xyxy"), lambda: tools.compute_iou(boxes, boxes, "rel_xyxy"),
    lambda: tools.encode_box_to_deltas(boxes, boxes, "xyxy", "xyxy", encoding_format="xyxy"), lambda: tools.clip_to_image_size({"boxes": boxes}),
    lambda: tools.decode_deltas_to_boxes(boxes, boxes, "xyxy", "xyxy", encoded_format="yxyx"), lambda: tools.compute_ciou(boxes, boxes, "rel_xyxy"),
):
    try:
        function()
    except ValueError as problem:
        print(str(problem).partition("\n")[0].partition(", got")[0].partition(" Supported formats")[0])
