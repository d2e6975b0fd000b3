"""What the sources share for frameworks in which autograd is always on: PyTorch and PaddlePaddle."""
