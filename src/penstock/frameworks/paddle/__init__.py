"""The source for programs that run in PaddlePaddle itself."""
