"""What users call: plain functions over the primitives, and the operators of tensors and variables."""
