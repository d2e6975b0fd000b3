"""Step the PyTorch optimizers along given gradients: `tests/oracles/optimizers_torch.json`.

Usage, in an environment that has PyTorch 2.13: python tools/record/optimizers_torch.py [--check]

Muon orthogonalizes in bfloat16, in which hardly a digit could be compared; here the conversion is taken out,
so that its formula runs in float64 like the others.
"""

import sys

import torch
from optimizers_given import START, main

torch.Tensor.bfloat16 = lambda self: self.clone()
# Nadam keeps its product of momenta in the default dtype, whatever the dtype of the variable.
torch.set_default_dtype(torch.float64)

CASES = [
    {"name": "momentum", "class": "SGD", "arguments": {"lr": 0.1, "momentum": 0.9}},
    {"name": "nesterov", "class": "SGD", "arguments": {"lr": 0.1, "momentum": 0.9, "nesterov": True}},
    {"name": "adam", "class": "Adam", "arguments": {"lr": 0.1}},
    {"name": "adam_betas", "class": "Adam", "arguments": {"lr": 0.1, "betas": [0.5, 0.8], "eps": 0.01}},
    {"name": "amsgrad", "class": "Adam", "arguments": {"lr": 0.1, "amsgrad": True, "betas": [0.9, 0.7]}},
    {"name": "adamw", "class": "AdamW", "arguments": {"lr": 0.1}},
    {"name": "adamw_decay", "class": "AdamW", "arguments": {"lr": 0.1, "weight_decay": 0.5}},
    {"name": "adamax", "class": "Adamax", "arguments": {}},
    {"name": "adamax_epsilon", "class": "Adamax", "arguments": {"lr": 0.1, "eps": 0.1}},
    {"name": "nadam", "class": "NAdam", "arguments": {}},
    {"name": "nadam_decay", "class": "NAdam", "arguments": {"lr": 0.1, "momentum_decay": 0.1}},
    {"name": "radam", "class": "RAdam", "arguments": {"lr": 0.1}},
    {"name": "radam_betas", "class": "RAdam", "arguments": {"lr": 0.1, "betas": [0.5, 0.9], "eps": 0.01}},
    {"name": "radam_short", "class": "RAdam", "arguments": {"lr": 0.1, "betas": [0.5, 0.6]}},
    {"name": "adagrad", "class": "Adagrad", "arguments": {}},
    {"name": "adagrad_start", "class": "Adagrad",
     "arguments": {"lr": 0.5, "initial_accumulator_value": 0.25, "eps": 0.01}},
    {"name": "adadelta", "class": "Adadelta", "arguments": {}},
    {"name": "adadelta_rho", "class": "Adadelta", "arguments": {"lr": 0.5, "rho": 0.5, "eps": 0.001}},
    {"name": "rmsprop", "class": "RMSprop", "arguments": {"lr": 0.1, "alpha": 0.9}},
    {"name": "rmsprop_centered", "class": "RMSprop",
     "arguments": {"lr": 0.1, "alpha": 0.8, "centered": True, "eps": 0.001}},
    {"name": "rmsprop_momentum", "class": "RMSprop",
     "arguments": {"lr": 0.1, "alpha": 0.9, "momentum": 0.5, "centered": True, "eps": 0.01}},
    {"name": "adafactor_vector", "class": "Adafactor", "arguments": {"lr": 0.1}},
    {"name": "adafactor_matrix", "class": "Adafactor", "arguments": {"lr": 0.1}, "shape": [2, 3]},
    {"name": "muon_wide", "class": "Muon", "arguments": {"lr": 0.1, "weight_decay": 0.0}, "shape": [2, 3]},
    {"name": "muon_tall", "class": "Muon", "arguments": {"lr": 0.1, "weight_decay": 0.1}, "shape": [3, 2]},
    {"name": "muon_plain", "class": "Muon",
     "arguments": {"lr": 0.1, "nesterov": False, "adjust_lr_fn": "match_rms_adamw", "ns_steps": 3},
     "shape": [3, 2]},
]  # fmt: skip


def run(case: dict, gradients: list[list[float]]) -> list[list[float]]:
    """Return the values that one optimizer passes through."""
    variable = torch.nn.Parameter(torch.tensor(START, dtype=torch.float64).reshape(case["shape"]))
    optimizer = getattr(torch.optim, case["class"])([variable], **case["arguments"])
    values = []
    for gradient in gradients:
        variable.grad = torch.tensor(gradient, dtype=torch.float64).reshape(case["shape"])
        optimizer.step()
        values.append(variable.detach().flatten().tolist())
    return values


if __name__ == "__main__":
    sys.exit(main("optimizers_torch", {"torch": torch.__version__}, CASES, run))
