"""PyTorch as a source: an unmodified program runs in PyTorch itself, and its steps go to the report."""
