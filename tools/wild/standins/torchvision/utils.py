"""Pictures are put beside each other and saved nowhere."""

import torch


def make_grid(tensor, *_arguments, **_options):
    """Returns the pictures as one row."""
    if isinstance(tensor, (list, tuple)):
        tensor = torch.stack(list(tensor))
    return torch.cat(list(tensor.detach()), -1)


def save_image(tensor, *_arguments, **_options):
    """Looks at the pictures as saving would: as bytes."""
    make_grid(tensor).mul(255).clamp(0, 255).to("cpu", torch.uint8).numpy()
