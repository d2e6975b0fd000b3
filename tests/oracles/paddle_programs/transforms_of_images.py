"""Pictures of Pillow, and arrays that need no other library: what transforms make of them."""

import random

import numpy
import paddle
from paddle.vision import transforms as T
from paddle.vision.transforms import functional as F
from PIL import Image

pixels = numpy.random.RandomState(0).randint(0, 255, (8, 6, 3)).astype("uint8")
picture, grey = Image.fromarray(pixels), Image.fromarray(pixels[..., 0])


def shown(image):
    array = numpy.asarray(image).astype("float64")
    return array.shape, round(float((array * numpy.arange(1, array.size + 1).reshape(array.shape)).sum()), 1)


KINDS = {
    "ToTensor": lambda: T.ToTensor(), "channels last": lambda: T.ToTensor("HWC"), "Resize": lambda: T.Resize(5),
    "Resize to": lambda: T.Resize((4, 9)), "Resize nearest": lambda: T.Resize((4, 9), "nearest"),
    "Resize cubic": lambda: T.Resize((4, 9), "bicubic"), "CenterCrop": lambda: T.CenterCrop((3, 5)),
    "Flip": lambda: T.RandomHorizontalFlip(0.5), "Flip down": lambda: T.RandomVerticalFlip(1.0),
    "Crop": lambda: T.RandomCrop(4), "Crop of padded": lambda: T.RandomCrop(8, padding=2),
    "Crop if needed": lambda: T.RandomCrop((9, 9), pad_if_needed=True),
    "Brightness": lambda: T.BrightnessTransform(0.4), "Contrast": lambda: T.ContrastTransform(0.4),
    "Pad": lambda: T.Pad(2), "Pad reflecting": lambda: T.Pad((1, 2), padding_mode="reflect"),
    "Grey": lambda: T.Grayscale(), "Grey of three": lambda: T.Grayscale(3), "Transpose": lambda: T.Transpose(),
}
COLOURED = {
    "Saturation": lambda: T.SaturationTransform(0.4), "Hue": lambda: T.HueTransform(0.4),
    "ColorJitter": lambda: T.ColorJitter(0.4, 0.4, 0.4, 0.2), "Rotation": lambda: T.RandomRotation(30),
    "Normalize": lambda: T.Compose([T.ToTensor(), T.Normalize([0.5] * 3, [0.25] * 3)]),
    "Normalize bytes": lambda: T.Compose([T.Transpose(), T.Normalize(127.5, 127.5)]),
    "Normalize last": lambda: T.Normalize([127.5] * 3, [127.5] * 3, "HWC"),
}
for name, make in {**KINDS, **COLOURED}.items():
    for image in (picture, grey) if name in KINDS else (picture,):
        random.seed(3)
        transform = make()
        print(name, [shown(transform(image)) for _ in range(3)])
for name, make in {
    "ToTensor": T.ToTensor, "CenterCrop": lambda: T.CenterCrop(4), "Crop": lambda: T.RandomCrop(4),
    "Transpose": T.Transpose, "Normalize": lambda: T.Compose([T.Transpose(), T.Normalize(127.5, 127.5)]),
}.items():
    random.seed(3)
    print(name, shown(make()(pixels)))
print(shown(F.hflip(picture)), shown(F.crop(picture, 1, 2, 3, 4)), shown(F.adjust_hue(picture, 0.2)))


class Turned(T.BaseTransform):
    def _apply_image(self, image):
        return image.rotate(90)


print(shown(Turned()(picture)))
