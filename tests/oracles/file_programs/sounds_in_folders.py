import os
import tempfile
import wave

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
for name in ("high", "low"):
    os.makedirs(os.path.join(folder, name))
    for number in range(4):
        with wave.open(os.path.join(folder, name, f"{number}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(8000)
            file.writeframes(
                (np.arange(20 + number) * (100 if name == "low" else 1000)).astype("<i2").tobytes()
            )

read = tf.keras.utils.audio_dataset_from_directory


def shown(data):
    for sounds, labels in data:
        print(tuple(sounds.shape), sounds.numpy()[:, -1, 0].round(4).tolist(), labels.numpy().tolist())


data = read(folder, batch_size=3, output_sequence_length=16, shuffle=False)
print(data.class_names)
shown(data)
shown(read(folder, batch_size=3, shuffle=False, label_mode="categorical", verbose=False))
shown(read(folder, batch_size=4, output_sequence_length=21, seed=3, label_mode="binary", verbose=False))
print([tuple(one.shape) for one in read(folder, labels=None, batch_size=None, shuffle=False)])
train, test = read(
    folder, batch_size=2, validation_split=0.25, subset="both", seed=0, output_sequence_length=8
)
shown(train)
shown(test)
part = read(folder, batch_size=2, validation_split=0.5, subset="validation", seed=0, output_sequence_length=8)
shown(part)
for options in (
    {"ragged": True, "output_sequence_length": 3},
    {"sampling_rate": -1},
    {"sampling_rate": 1.5},
    {"labels": "other"},
    {"labels": [0, 1], "class_names": ["a"]},
    {"label_mode": "other"},
    {"validation_split": 0.5},
):
    try:
        read(folder, **options)
    except ValueError as error:
        print(str(error).split("\n")[0][:60])
try:
    read(folder, sampling_rate=16000)
except ImportError as error:
    print(str(error).split("\n")[0][:70])
